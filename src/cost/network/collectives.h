// The time of a collective in a group of devices.
//
// Bytes n. All-gather, reduce-scatter and all-reduce: the whole vector (gathered, or before it is scattered).
// All-to-all: the bytes on each device, an equal part for every device, itself included. Send-recv: the
// message.
//
// 1. If a tier has a measured sweep of this operation, for as many devices and as many of them in each group
//    of the tier before, the sweep is used. It is affine between its points, has the first point's time below
//    it, and the last two points' slope beyond the last (Evidence::Extrapolated). But it is no faster than a
//    device's port carries its bytes (cost/network/collective_layout.h, port_share): a sweep of another
//    machine does not make this one's links faster.
// 2. Otherwise, inside one group of a first tier that states its protocols, the smallest of their forms is
//    used (cost/network/protocol_forms.h).
// 3. Otherwise a closed form of latency and bandwidth is used (cost/network/collective_algorithms.h). The
//    algorithm:
//    NCCL takes the one it predicts to be fastest (ncclTopoTuneModel and ncclTopoGetAlgoTime in
//      https://github.com/NVIDIA/nccl, src/graph/tuning.cc). Here it chooses among
//        all-reduce                  ring, tree, hierarchical
//        all-gather, reduce-scatter  ring, hierarchical
//        all-to-all                  mesh: NCCL posts all sends and receives at once
//      NCCL has no hierarchical algorithm, but its ring is not a chain of barriers: one part crosses between
//      nodes once for every node, not at every step, and tuning.cc counts its latencies so. Small vectors
//      therefore take the time of the hierarchical form, large ones that of the ring.
//    HCCL (https://gitee.com/ascend/cann-hccl, algorithm/impl/operator; read at 9aeddc05):
//      Inside a server, the tier named "node" (the first if there is none): if its "wiring" is a mesh, as on
//        Atlas A2, the mesh (SelectAlgfor910B). If it is switched, as on Atlas A3, the mesh up to 1 MiB per
//        device of an all-reduce and 2 MiB of an all-gather or reduce-scatter, the ring above
//        (SelectAlgfor91093).
//      Between servers, HCCL takes the least predicted time of ring, halving-doubling and NHR
//        (coll_alg_operator.cc, SelectAlgoTypeForAllReduce and its siblings). Here it is that of ring and
//        halving-doubling, inside the hierarchical form or in the whole group. NHR (nonuniform hierarchical
//        ring) has the steps and bytes of halving-doubling.
//      All-to-all: mesh inside a server. Beyond, direct (RunAlltoAllVFullMesh) or staged
//        (RunAlltoAllVStaged): the least predicted time of mesh and hierarchical. HCCL chooses by the kind of
//        cluster, which a platform does not state.
//      Not modelled: pipelining between the levels, and HCCL's own figures for latency and bandwidth, which
//      differ from the platform's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "cost/network/collective_algorithms.h"
#include "cost/network/device_group.h"
#include "platform/platform.h"

namespace spillway {

struct CollectiveEstimate {
  Seconds time;
  Algorithm algorithm;
  Evidence evidence;  // of the weakest number that it rests on
};

// Reads a time off a measured sweep. The time is affine between points, and the first point's below it.
// Beyond the last point it follows the slope of the last two, or is constant if that falls. Contract: at
// least one point.
Seconds read_off(std::span<const std::pair<Bytes, Seconds>> points, Bytes n);

class CollectiveTime {
 public:
  CollectiveTime() = default;  // a group of one: no time
  // The measured times, whatever the machine.
  explicit CollectiveTime(Sourced<std::vector<std::pair<Bytes, Seconds>>> sweep);
  // The same on a machine where `port_share` of n passes through a device's port of the widest tier.
  CollectiveTime(Sourced<std::vector<std::pair<Bytes, Seconds>>> sweep, double port_share,
                 const Sourced<BytesPerSecond>& port);
  // The fastest form offered at n bytes; the first of equals.
  CollectiveTime(std::vector<ClosedForm> forms, double port_share);

  CollectiveEstimate operator()(Bytes n) const;
  // The same collective at `share` of the rate (Tier::sustained).
  CollectiveTime sustaining(const Sourced<double>& share) &&;
  // The bytes through a device's port of the widest tier. They depend on no speed; the port carries them
  // within the time of n.
  Bytes through_port(Bytes n) const { return port_share_ * n; }

 private:
  std::vector<std::pair<Bytes, Seconds>> sweep_;
  Evidence sweep_evidence_ = Evidence::Measured;
  double port_share_ = 0;
  std::optional<Sourced<BytesPerSecond>> port_;  // for a sweep
  std::vector<ClosedForm> forms_;
  double sustained_ = 1;
  Evidence sustained_evidence_ = Evidence::Measured;

  CollectiveEstimate alone(Bytes n) const;
};

// The library that runs the kernels, or a dispatcher's own kernels (DeepEP, HybridEP) with what they send.
// These do without the library's protocols and sweeps. They reach the rates that the tier states for them
// (ExpertKernels), or keep the port full.
enum class Carrier : std::uint8_t { Library, Dispatch, Fp8Dispatch, Combine };

// The rate of a dispatcher's own kernels in a group of so many devices: stated, interpolated (derived), or
// that of the nearest number (extrapolated). Nothing if the tier states none. Contract: not Library.
std::optional<Sourced<BytesPerSecond>> rate_of_kernels(const Tier& tier, std::uint32_t devices,
                                                       Carrier carrier);

// Contract: the devices lie on the platform; send-recv takes a group of two.
CollectiveTime collective_time(const Platform& platform, CollectiveOperation operation,
                               const DeviceGroup& group, Carrier carrier = Carrier::Library);

// The collectives of one platform, each timed once for all groups that lie alike.
// Contract: the platform outlives it.
class TimedCollectives {
 public:
  explicit TimedCollectives(const Platform& platform) : platform_(&platform) {}

  // As collective_time(). The reference stays valid.
  const CollectiveTime& of(CollectiveOperation operation, const DeviceGroup& group,
                           Carrier carrier = Carrier::Library);

 private:
  struct Timed {
    CollectiveOperation operation;
    Carrier carrier;
    std::size_t spanned;
    DeviceGroup group;  // `first` is its place (PlaceInTiers)
    CollectiveTime time;
  };

  const Platform* platform_;
  std::deque<Timed> timed_;
};

// One message between two devices. It takes no time between a device and itself.
CollectiveTime point_to_point(const Platform& platform, DeviceId a, DeviceId b);

}  // namespace spillway
