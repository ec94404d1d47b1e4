// Where the devices of a pipeline sit on its fabric, and what its events send between them. No SimGrid here.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cost/network/rank_devices.h"
#include "sim/flows.h"
#include "sim/replay.h"
#include "sim/route.h"

namespace spillway {

// The routes that one communication event uses, and what a flow on the slowest of them gets alone.
struct Channel {
  std::vector<Route*> routes;
  BytesPerSecond slowest;  // beside those of the event that share its ports
};

class Cluster {
 public:
  explicit Cluster(const Fabric& fabric);

  // An order on this cluster: at most as many ranks and devices as the fabric has.
  void place(const Outline& outline);

  // Where links are never shared, an event's price is all there is to it.
  bool ideal() const { return !routes_; }
  // Contract: not ideal.
  Routes& routes() { return *routes_; }
  // Contract: not ideal; event.communicates().
  const Channel& channel(const Event& event, ReplicaId first);
  // Of what a communication event is priced at, what passes before its flows start: what they take alone
  // passes after that. None where nothing flows.
  std::optional<Seconds> wait_before_flows(const Event& event, ReplicaId first, Seconds price, Bytes payload);

 private:
  Channel open(const Event& event, ReplicaId first);

  const std::uint32_t slots_;    // ranks x replicas of the fabric
  const std::uint32_t members_;  // of a rank, where an outline has no modules
  std::uint32_t replicas_;       // of what is placed
  RankDevices at_;
  std::optional<Routes> routes_;
  std::unordered_map<std::uint64_t, Channel> channels_;  // by what distinguishes events to flows_of
};

}  // namespace spillway
