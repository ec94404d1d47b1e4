// Computes the member-to-member flows of a communication event on a grid of devices. No SimGrid here.
//   Collective              one flow per member of each participating replica, from the sender's member to
//   the
//                           receiver's. If the ranks differ in their numbers of devices, one flow for each
//                           part that lies in a single share on both sides
//   DpReduce, DataGroup     one ring per member, over the joined replicas of the rank and, if it differs, of
//   the
//                           peer rank
//   DpReduce, CopyGroup     one ring per member, over the ranks up to the peer rank and their joined replicas
//   DpReduce, ReplicaGroup  one ring per member, over all ranks and their joined replicas
//   Broadcast               the same within one replica, without the last member's flow
// A flow of a ring carries all that one member passes to the next over all steps of a ring reduction
// (Transfer in cost/price.h).
#pragma once

#include <vector>

#include "cost/network/rank_devices.h"
#include "order/event.h"

namespace spillway {

struct Flow {
  DeviceId from;
  DeviceId to;

  friend bool operator==(Flow, Flow) = default;
};

// Writes the flows of `event` for the replicas [first, first + event.joined_replicas) to `flows`, which is
// overwritten. It is empty if sender and receiver are the same devices, or if a group has only one member.
// Contract: event.communicates().
void flows_of(const Event& event, ReplicaId first, const RankDevices& devices, std::vector<Flow>& flows);

}  // namespace spillway
