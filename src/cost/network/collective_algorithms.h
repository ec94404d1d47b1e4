// The algorithms of collectives: each one's closed form, and its steps flow by flow
// (collective_steps.cpp). In a step every flow takes the step latency of its tier and its bytes at the
// bandwidth of the pair; flows of a step that leave or enter one device through one port share the port's
// bandwidth, unless the platform is without contention. A step ends when its last flow does. Before its steps
// a collective takes once what a message's latency holds besides a step's, the most of the tiers it crosses:
// its kernel is launched once. NCCL counts so too, a base and a latency per step (ncclTopoTuneModel in
// https://github.com/NVIDIA/nccl, src/graph/tuning.cc). N devices in the order of DeviceGroup, n bytes:
//   Ring             N-1 steps of n/N, twice for an all-reduce, each device to the next. A group over several
//                    groups of a tier runs as many rings side by side as the least of those has members,
//                    each through another member of each, as NCCL's channels do.
//   Tree             all-reduce: up and down a binomial tree, 2 ceil(log2 N) steps of n (not pipelined:
//                    NCCL's double binary tree is, and moves long vectors as fast as a ring).
//   Mesh             one step, n/N from everyone to everyone; an all-reduce takes two.
//   HalvingDoubling  ceil(log2 N) steps, twice for an all-reduce; a reduce-scatter halves what is left of the
//                    vector with partners at distance 1, 2, 4, ..., an all-gather goes the way back. Where N
//                    is no power of two the partners are at those distances round the ring and the last step
//                    moves the parts that are left (Bruck): N-1 parts of n/N all the same.
//   Pairwise         send-recv: one message. All-to-all: N-1 steps of n/N; first with those nearest, then
//                    further out where the group has as many members in every group of a tier, else round
//                    the ring.
//   Hierarchical     groups with as many members, G, in each group of a tier below: an all-reduce is a
//                    reduce-scatter inside, all-reduces across of n/G, an all-gather inside; the others
//                    likewise (an all-gather across first). NCCL: rings at both levels. HCCL: inside a ring,
//                    or the mesh where the tier is wired as one; across a ring or halving-doubling.
//                    All-to-all: mesh at both. Whichever tier (HCCL: the server's at least) and algorithms
//                    are fastest.
// Tiers are taken to be no faster outwards, in a message, a step and what is taken once. Thakur,
// Rabenseifner, Gropp 2005 (https://doi.org/10.1177/1094342005051521); Bruck et al. 1997
// (https://doi.org/10.1109/71.642949).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/quantity.h"
#include "cost/network/device_group.h"
#include "platform/platform.h"

namespace spillway {

// Measured and Protocol have no steps: a sweep, and forms of whole collectives
// (cost/network/protocol_forms.h).
enum class Algorithm { Measured, Protocol, Ring, Tree, Mesh, HalvingDoubling, Pairwise, Hierarchical };

constexpr bool has_steps(Algorithm algorithm) {
  return algorithm != Algorithm::Measured && algorithm != Algorithm::Protocol;
}

// `count` equal steps: as long as the slowest kind of flow, alpha + beta per byte of n.
struct StepForm {
  struct Flow {
    Seconds latency;
    Seconds per_byte;
  };
  double count;
  std::vector<Flow> flows;
};

struct ClosedForm {
  Algorithm algorithm;
  Seconds once;
  std::vector<StepForm> steps;
  Evidence evidence;
  Bytes least = Bytes(0);  // offered above this many bytes
  Bytes most = Bytes(std::numeric_limits<double>::infinity());

  Seconds operator()(Bytes n) const;
};

// What a message over the tier takes besides a step of a collective.
Seconds latency_once(const Tier& tier);

// The ways this algorithm can run the operation in the group; several of the hierarchical one, none where it
// cannot run it. Contract: two devices at least, all on the platform; has_steps().
std::vector<ClosedForm> closed_forms(const Platform& platform, CollectiveOperation operation,
                                     Algorithm algorithm, const DeviceGroup& group);

struct StepFlow {
  DeviceId from;
  DeviceId to;
  Bytes bytes;
};
struct CollectiveStep {
  std::vector<StepFlow> flows;
};

// The fastest of the closed forms, flow by flow. Contract: there is one.
// The collective takes besides: latency_once(), the largest of the tiers that flows go over.
std::vector<CollectiveStep> collective_steps(const Platform& platform, CollectiveOperation operation,
                                             Algorithm algorithm, const DeviceGroup& group, Bytes n);

}  // namespace spillway
