// The simulated cluster: a compute host for every rank of every replica, and the network between their
// devices.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/activities.h"
#include "sim/flows.h"
#include "sim/network.h"
#include "sim/replay.h"

namespace spillway {

// The routes that one communication event uses, and what a flow on the slowest of them gets alone.
struct Channel {
  std::vector<Activities::Route*> routes;
  BytesPerSecond slowest;  // beside those of the event that share its ports
};

class Cluster {
 public:
  // Contract: an engine exists and runs nothing yet.
  explicit Cluster(const Fabric& fabric);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // An order on this cluster: at most as many ranks and devices as the fabric has.
  void place(const Outline& outline);

  Activities::Device& device(RankId rank, ReplicaId replica) {
    return devices_[rank.index() * replicas_ + replica.index()];
  }

  // Where links are never shared, an event's price is all there is to it.
  bool ideal() const { return !network_; }
  // Contract: not ideal; event.communicates().
  const Channel& channel(const Event& event, ReplicaId first);
  Network& network() { return *network_; }
  // Contract: not ideal; between two devices of the fabric. One message, or a collective's whole port.
  enum class Carries { Message, Port };
  Activities::Route& route(Flow flow, Carries carries = Carries::Message);

 private:
  Channel open(const Event& event, ReplicaId first);

  const std::uint32_t slots_;    // ranks x replicas of the fabric
  const std::uint32_t members_;  // of a rank, where an outline has no modules
  std::uint32_t replicas_;       // of what is placed
  RankDevices at_;
  std::vector<Activities::Device> devices_;
  std::optional<Network> network_;
  std::array<std::unordered_map<std::uint64_t, Activities::Route>, 2> routes_;  // by Carries, pair of devices
  std::unordered_map<std::uint64_t, Channel> channels_;  // by what distinguishes events to flows_of
};

}  // namespace spillway
