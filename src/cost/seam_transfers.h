// The transfers from stage to stage: how much of a microbatch moves, and how long that takes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cost/network/collectives.h"
#include "cost/price.h"
#include "cost/stage_slabs.h"

namespace spillway {

// The place at which a transfer leaves the earlier of its two stages.
struct Boundary {
  std::uint32_t layer;   // the layer behind that stage
  std::size_t producer;  // block of the layer before
};
Boundary boundary_of(const Outline& outline, const Event& transfer);

class SeamTransfers {
 public:
  // Views `outline`.
  SeamTransfers(const AnalyticCosts& costs, const Outline& outline, std::shared_ptr<const StageSlabs> stages,
                std::shared_ptr<const DrawLoads> loads);

  // The whole message: output() and input().
  Bytes payload(const Event& event, ReplicaId replica) const {
    return output(event, replica) + input(event, replica);
  }
  // The layer output that one member sends:
  //   backbone            tokens x width elements, shared by the members. Without sequence parallelism, each
  //                       member sends all tokens of its context rank, unless the framework scatters and
  //                       gathers
  //   inside an encoder   the patches of the busiest member
  //   after an encoder    (Gather, Scatter) the image tokens, shared by the members
  // Features made before for a later stage go with it: LayerStack::carried, and the DeepStack side features
  // that later layers still take.
  Bytes output(const Event& event, ReplicaId replica) const;
  // The rows and columns of output(). Nothing if features of several widths go together, or if members do not
  // share the rows evenly.
  std::optional<MessageSize::Shape> shape(const Event& event, ReplicaId replica) const;
  // The input of that output, if it is sent along (Outline::sends_input): the patches of the busiest member,
  // or the token ids of every member.
  Bytes input(const Event& event, ReplicaId replica) const;
  // The output that a device of the receiver then holds: all of it, if it is gathered.
  Bytes received(const Event& event, ReplicaId replica) const;
  Transfer of(const Event& event, ReplicaId replica) const;
  // Returns true if payload and time are the same for every microbatch and replica.
  bool uniform(const Event& event) const;

 private:
  // One message between two devices that a tier joins.
  struct Link {
    std::uint32_t devices;  // of the tier
    CollectiveTime message;
  };

  bool equal_payloads(const Event& event) const;
  // Returns true for a transfer of the backbone in which each member sends its share of what every member
  // needs whole.
  bool scatters(const Event& event) const;
  Seconds gather(RankId receiver, Bytes whole) const;
  double most_patches(std::size_t block, const Event& event, ReplicaId replica) const;
  Bytes features(std::size_t tower, const Event& event, ReplicaId replica) const;
  bool passes(std::size_t other, std::size_t tower, const Event& event) const;
  Bytes passing(std::size_t tower, const Event& event, ReplicaId replica) const;
  const CollectiveTime& link(DeviceId a, DeviceId b) const;

  const Outline& outline_;
  std::shared_ptr<const StageSlabs> stages_;
  std::shared_ptr<const DrawLoads> loads_;
  Seconds of_hosts_;                          // host time of each transfer, added to the message
  std::vector<Link> links_;                   // by tier
  std::vector<std::uint32_t> side_features_;  // that pass the boundary before each layer of the model
  // By receiving rank: one of the tensor-parallel groups for every way they lie. Empty if nothing is
  // scattered.
  std::vector<std::vector<CollectiveTime>> gathers_;
};

}  // namespace spillway
