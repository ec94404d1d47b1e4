// What passes from stage to stage: how much of a microbatch, and how long that takes.
#pragma once

#include <memory>
#include <vector>

#include "cost/network/collectives.h"
#include "cost/price.h"
#include "cost/stage_slabs.h"

namespace spillway {

// Where the two stages of a transfer meet.
struct Boundary {
  std::uint32_t layer;   // the first of the later stage
  std::size_t producer;  // block of the layer before
};
Boundary boundary_of(const Outline& outline, const Event& transfer);

class SeamTransfers {
 public:
  // Views `outline`.
  SeamTransfers(const AnalyticCosts& costs, const Outline& outline, std::shared_ptr<const StageSlabs> stages,
                std::shared_ptr<const DrawLoads> loads);

  // All that the message carries: output() and input().
  Bytes payload(const Event& event, ReplicaId replica) const {
    return output(event, replica) + input(event, replica);
  }
  // What passes between two layers, of one member: tokens x width elements of the backbone, shared by the
  // members (without sequence parallelism all of it by each context rank's, unless the framework has them
  // scatter and gather); between an encoder's layers the patches of the busiest member; behind its last layer
  // (Gather, Scatter) the image tokens, shared by the members. With them goes what is made before and is for
  // a later stage: LayerStack::carried, and of DeepStack the side features that layers behind have yet to
  // take.
  Bytes output(const Event& event, ReplicaId replica) const;
  // What that was made from, where it goes along (Outline::sends_input): patches of the busiest member, or
  // every member's token ids.
  Bytes input(const Event& event, ReplicaId replica) const;
  // What a device of the receiver then holds of the output: all of it, where it is gathered.
  Bytes received(const Event& event, ReplicaId replica) const;
  Transfer of(const Event& event, ReplicaId replica) const;
  // Are payload and time the same for every microbatch and replica?
  bool uniform(const Event& event) const;

 private:
  // One message between two devices that a tier joins.
  struct Link {
    std::uint32_t devices;  // of the tier
    CollectiveTime message;
  };

  bool equal_payloads(const Event& event) const;
  // Of the backbone, where each member sends its share of what every member needs whole.
  bool scatters(const Event& event) const;
  Seconds gather(RankId receiver, Bytes whole) const;
  double most_patches(std::size_t block, const Event& event, ReplicaId replica) const;
  const CollectiveTime& link(DeviceId a, DeviceId b) const;

  const Outline& outline_;
  std::shared_ptr<const StageSlabs> stages_;
  std::shared_ptr<const DrawLoads> loads_;
  Seconds of_hosts_;         // of each transfer, beside the message
  std::vector<Link> links_;  // by tier
  // By receiving rank: of the tensor-parallel groups one for every way they lie. Empty where nothing is
  // scattered.
  std::vector<std::vector<CollectiveTime>> gathers_;
};

}  // namespace spillway
