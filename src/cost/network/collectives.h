// How long a collective takes in a group of devices.
//
// Bytes n: all-gather, reduce-scatter and all-reduce: the whole vector (gathered, or before it is scattered);
// all-to-all: what each device holds, an equal part for every device, itself included; send-recv: the
// message.
//
// 1. Where a tier has a measured sweep of this operation for as many devices, as many of them in each group
//    of the tier before, that is taken: affine between its points, the first one's time below it, the last
//    two's slope beyond the last (Evidence::Extrapolated). But no faster than a device's port carries what
//    it must (cost/network/collective_layout.h, port_share): a sweep of another machine does not make this
//    one's links faster.
// 2. Otherwise, inside one group of a first tier that states its protocols, the least of their forms
//    (cost/network/protocol_forms.h).
// 3. Otherwise a closed form of latency and bandwidth (cost/network/collective_algorithms.h). Which
// algorithm:
//    NCCL takes the one it predicts to be fastest (ncclTopoTuneModel and ncclTopoGetAlgoTime in
//      https://github.com/NVIDIA/nccl, src/graph/tuning.cc). So here, of
//        all-reduce                  ring, tree, hierarchical
//        all-gather, reduce-scatter  ring, hierarchical
//        all-to-all                  mesh: NCCL posts all sends and receives at once
//      NCCL has no hierarchical algorithm, but its ring is no chain of barriers either: one part crosses
//      between nodes once for every node, not at every step, and tuning.cc counts its latencies so. Small
//      vectors therefore take what the hierarchical form takes, large ones what the ring takes.
//    HCCL (https://gitee.com/ascend/cann-hccl, algorithm/impl/operator; read at 9aeddc05):
//      inside a server, the tier named "node" (the first where none is). One whose "wiring" is a mesh, as
//      Atlas
//        A2's: mesh (SelectAlgfor910B). A switched one, as Atlas A3's: mesh up to 1 MiB per device of an
//        all-reduce, 2 MiB of an all-gather or reduce-scatter, the ring above (SelectAlgfor91093);
//      between servers the least predicted time of ring, halving-doubling and NHR (coll_alg_operator.cc,
//        SelectAlgoTypeForAllReduce and its siblings), here of ring and halving-doubling, whose steps and
//        bytes NHR (nonuniform hierarchical ring) has too, inside the hierarchical form or in the whole
//        group;
//      all-to-all: mesh inside a server; beyond, direct (RunAlltoAllVFullMesh) or staged
//        (RunAlltoAllVStaged): the least predicted time of mesh and hierarchical. HCCL goes by the kind of
//        cluster there, which a platform does not say.
//      Not modelled: pipelining between the levels, and HCCL's own figures for latency and bandwidth, which
//      differ from the platform's.
#pragma once

#include <cstdint>
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
  Evidence evidence;  // of the weakest number it rests on
};

// Read off a measured sweep: affine between points, the first one's time below it, beyond the last the slope
// of the last two, which is not taken to fall. Contract: a point at least.
Seconds read_off(std::span<const std::pair<Bytes, Seconds>> points, Bytes n);

class CollectiveTime {
 public:
  CollectiveTime() = default;  // a group of one: no time
  // As measured, whatever the machine.
  explicit CollectiveTime(Sourced<std::vector<std::pair<Bytes, Seconds>>> sweep);
  // On a machine where `port_share` of n goes through a device's port of the widest tier.
  CollectiveTime(Sourced<std::vector<std::pair<Bytes, Seconds>>> sweep, double port_share,
                 const Sourced<BytesPerSecond>& port);
  // Of those offered at n bytes the fastest, the first of equals.
  CollectiveTime(std::vector<ClosedForm> forms, double port_share);

  CollectiveEstimate operator()(Bytes n) const;
  // The same at `share` of the rate (Tier::sustained).
  CollectiveTime sustaining(const Sourced<double>& share) &&;
  // What passes a device's port of the widest tier: independent of every speed, and through the port in no
  // more than the time of n.
  Bytes through_port(Bytes n) const { return port_share_ * n; }

 private:
  std::vector<std::pair<Bytes, Seconds>> sweep_;
  Evidence sweep_evidence_ = Evidence::Measured;
  double port_share_ = 0;
  std::optional<Sourced<BytesPerSecond>> port_;  // of a sweep
  std::vector<ClosedForm> forms_;
  double sustained_ = 1;
  Evidence sustained_evidence_ = Evidence::Measured;

  CollectiveEstimate alone(Bytes n) const;
};

// By whose kernels: a dispatcher's own (DeepEP) do without the library's protocols and keep the links full.
enum class Carrier : std::uint8_t { Library, OwnKernels };

// Contract: the devices lie on the platform; send-recv takes a group of two.
CollectiveTime collective_time(const Platform& platform, CollectiveOperation operation,
                               const DeviceGroup& group, Carrier carrier = Carrier::Library);

// One message between two devices; none between a device and itself.
CollectiveTime point_to_point(const Platform& platform, DeviceId a, DeviceId b);

}  // namespace spillway
