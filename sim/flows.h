// Which member-to-member flows a communication event consists of on a grid of devices. No SimGrid here.
//   Collective              one flow per member of each replica that takes part, from the sender's member
//                           to its counterpart; between ranks of unlike numbers of devices one for each part
//                           that lies in one share on either side
//   DpReduce, DataGroup     for each member one ring over the joined replicas of the rank and, where that is
//                           another, of the peer rank
//   DpReduce, CopyGroup     for each member one ring over the ranks up to the peer rank and their joined
//                           replicas
//   DpReduce, ReplicaGroup  for each member one ring over every rank and its joined replicas
//   Broadcast               the same of one replica, without the last member's flow
// A ring's flow is what one member passes to the next over all steps of a ring reduction (Transfer in
// cost/price.h).
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

// The flows of `event` for the replicas [first, first + event.joined_replicas), written over `flows`. Empty
// where sender and receiver are the same devices or a group has one member only. Contract:
// event.communicates().
void flows_of(const Event& event, ReplicaId first, const RankDevices& devices, std::vector<Flow>& flows);

}  // namespace spillway
