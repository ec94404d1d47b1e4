// Where the devices of a pipeline sit on its fabric, and what its events send between them. No SimGrid here.
#pragma once

#include <cstddef>
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

// How an event sends: alone, `wait` passes and then the flows.
struct Sending {
  const Channel* channel;
  Seconds wait;
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
  // Of an event whose flows have ended, alone, when `price` has passed; none where nothing flows. A flow is
  // held to what a pair gets. Only where the collective of a group is priced faster than that, because it
  // runs over several pairs of a port at once, its flows are as fast as the ports are. Contract:
  // event.communicates().
  std::optional<Sending> sending(const Event& event, ReplicaId first, Seconds price, Bytes payload);

 private:
  // All that the routes of an event follow from, kept for every order that is placed alike.
  struct ChannelKey {
    ChannelKey(const Event& of, ReplicaId first_replica, Routes::Carries its_flows);

    Event event;
    ReplicaId first;
    Routes::Carries carries;

    friend bool operator==(const ChannelKey&, const ChannelKey&) = default;
  };
  struct HashOfKey {
    std::size_t operator()(const ChannelKey& key) const;
  };

  const Channel& channel(const Event& event, ReplicaId first, Routes::Carries carries);
  Channel open(const Event& event, ReplicaId first, Routes::Carries carries);

  const std::uint32_t slots_;    // ranks x replicas of the fabric
  const std::uint32_t members_;  // of a rank, where an outline has no modules
  std::uint32_t replicas_;       // of what is placed
  RankDevices at_;
  std::optional<Routes> routes_;
  std::unordered_map<ChannelKey, Channel, HashOfKey> channels_;
};

}  // namespace spillway
