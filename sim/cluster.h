// Places the devices of a pipeline on its fabric, and says what its events send between them. No SimGrid
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cost/network/rank_devices.h"
#include "sim/flows/flows.h"
#include "sim/flows/route.h"
#include "sim/replay.h"

namespace spillway {

// The routes of one communication event, and the bandwidth of the slowest of its flows when the event is
// alone.
struct Channel {
  std::vector<Route*> routes;
  BytesPerSecond slowest;  // together with the event's own flows on its ports
};

// How an event sends when nothing else does: it waits `wait` and then starts its flows.
struct Sending {
  const Channel* channel;
  Seconds wait;
};

class Cluster {
 public:
  explicit Cluster(const Fabric& fabric);

  // Places an order on this cluster. Contract: the order has at most as many ranks and devices as the fabric.
  void place(const Outline& outline);

  // Returns true if links are never shared; an event then takes exactly its price.
  bool ideal() const { return !routes_; }
  // Contract: not ideal.
  Routes& routes() { return *routes_; }
  // Returns how to send an event so that its flows end after `price` when it is alone. Returns nothing if the
  // event has no flows. A flow is limited to the bandwidth of one pair. One exception: if a group's
  // collective is priced faster, because it uses several pairs of a port at once, its flows may use the whole
  // port. Contract: event.communicates().
  std::optional<Sending> sending(const Event& event, ReplicaId first, Seconds price, Bytes payload);

 private:
  // The properties of an event that determine its routes. Channels are kept for every order with the same
  // placement.
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
  const std::uint32_t members_;  // devices per rank, if an outline has no modules
  std::uint32_t replicas_;       // of the placed order
  RankDevices at_;
  std::optional<Routes> routes_;
  std::unordered_map<ChannelKey, Channel, HashOfKey> channels_;
};

}  // namespace spillway
