// The algorithms of collectives: the closed form of each, and its steps flow by flow.
// In a step every flow takes the step latency of its tier, and its bytes at the bandwidth of the pair. Flows
// of a step that leave or enter one device through one port share the port's bandwidth, unless the platform
// has no contention. A step ends when its last flow does. Before its steps a collective takes once the part
// of a message's latency that is not a step's, the largest of the tiers it crosses: its kernel is launched
// once. NCCL also counts a base and a latency per step (ncclTopoTuneModel in https://github.com/NVIDIA/nccl,
// src/graph/tuning.cc).
//
// The algorithms without levels have a file each (cost/network/flat_algorithms.h), whose head says its steps
// for N devices in the order of DeviceGroup and n bytes. The hierarchical one runs in groups with equally
// many members, G, in each group of a tier below. An all-reduce is a reduce-scatter inside, all-reduces
// across of n/G, and an all-gather inside; the others likewise (an all-gather across first). NCCL: rings at
// both levels. HCCL: inside a ring, or the mesh if the tier is wired as one; across a ring or
// halving-doubling. All-to-all: mesh at both. The fastest tier (HCCL: at least the server's) and algorithms
// count.
//
// Outer tiers are assumed to be no faster than inner ones, in a message, a step and the part taken once.
// Thakur, Rabenseifner, Gropp 2005 (https://doi.org/10.1177/1094342005051521).
#pragma once

#include <limits>
#include <vector>

#include "base/quantity.h"
#include "cost/network/device_group.h"
#include "cost/network/flat_algorithms.h"
#include "platform/platform.h"

namespace spillway {

// `count` equal steps. Each lasts as long as its slowest kind of flow: alpha + beta per byte of n.
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

// The latency of a message over the tier minus that of a step of a collective.
Seconds latency_once(const Tier& tier);

// The ways this algorithm can run the operation in the group: several for the hierarchical one, none if it
// cannot run it. Contract: at least two devices, all on the platform; has_steps().
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

// The steps of the fastest closed form, flow by flow. Contract: there is one. The collective also takes
// latency_once(), the largest of the tiers that its flows cross.
std::vector<CollectiveStep> collective_steps(const Platform& platform, CollectiveOperation operation,
                                             Algorithm algorithm, const DeviceGroup& group, Bytes n);

}  // namespace spillway
