// Builds a Platform from SimGrid zones. Each port of the platform is one plane: a star zone whose leaves are
// the device ends of this port, with a non-blocking fabric at its centre.
//
//   device 0 --up--> (cap of the tier) --> centre --down--> device 1
//
//   up, down   one SHARED link each way per device and port: all flows of the device through the port divide
//              its bandwidth. Never below the fastest tier of the port, since one pair alone must reach that.
//   cap        limits every flow to the tier's bandwidth if the tier is slower than its port: a FATPIPE link,
//              which flows do not divide. So a device has one leaf per tier, all on the same up and down
//              links, and one leaf without a cap. (Nested zones would add latencies and take minima level by
//              level. They could express only tiers that get slower outwards.)
//
// Sharing is max-min fair with equal weights. SimGrid's CM02 weighs flows by 1 / latency, as TCP favours
// short round trips; ports of accelerators do not. So links have no latency here. The replay waits for the
// tier's alpha before the flow starts, as CM02 itself does with a latency. A small latency would not work
// either: if several flows leave one link after such a wait together, SimGrid 3.32 fails to slow down flows
// on their other links.
#pragma once

#include <simgrid/forward.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "sim/flows/route.h"

namespace spillway {

// Configures CM02 without TCP's effects: a flow alone takes bytes / bandwidth, and flows on one link share
// it. SimGrid accepts a model only once per process. Contract: there is an engine.
void configure_simgrid();

class Network {
 public:
  // Adds the planes below `root` for the devices of `routes`. Keeps a reference to `routes`.
  Network(const Routes& routes, simgrid::s4u::NetZone* root);

  simgrid::s4u::Host* sender(const Route& route) const { return leaf(route, route.from); }
  simgrid::s4u::Host* receiver(const Route& route) const { return leaf(route, route.to); }
  // The port's own links at both ends.
  simgrid::s4u::Link* up(const Route& route) const { return up_[port_end(route, route.from)]; }
  simgrid::s4u::Link* down(const Route& route) const { return down_[port_end(route, route.to)]; }

  // SimGrid counts payloads in whole bytes. So this chooses a unit of length such that the largest payload of
  // a run is just below 2^62 units. It sets rates in units per engine second, of which 2^slowdown make a
  // second of the run. Rounding a payload then shifts its end by less than 2^-62 of the time of the largest
  // payload. Call it while nothing flows.
  void fit_unit_to(Bytes largest, int slowdown);
  std::uint64_t units(Bytes payload) const;

 private:
  struct Rated {
    simgrid::s4u::Link* link;
    BytesPerSecond bandwidth;
  };
  void add_plane(std::size_t port, BytesPerSecond shared, simgrid::s4u::NetZone* root);
  simgrid::s4u::Link* add_link(simgrid::s4u::NetZone* zone, const std::string& name,
                               BytesPerSecond bandwidth);
  // A port's end at one device.
  struct End {
    simgrid::s4u::NetZone* zone;
    simgrid::s4u::Link* up;
    simgrid::s4u::Link* down;
    BytesPerSecond bandwidth;
  };
  simgrid::s4u::Host* add_leaf(const End& end, const std::string& name, BytesPerSecond at_most);
  simgrid::s4u::Host* leaf(const Route& route, DeviceId device) const;
  std::size_t port_end(const Route& route, DeviceId device) const {
    return device.index() * platform_.ports.size() + route.port;
  }

  const Platform& platform_;
  std::vector<simgrid::s4u::Host*> leaves_;     // [device][tier]
  std::vector<simgrid::s4u::Host*> open_;       // [device][port]: without a cap
  std::vector<simgrid::s4u::Link*> up_, down_;  // [device][port]
  std::vector<Rated> links_;
  int exponent_ = 0;  // a byte is 2^exponent_ units
  int slowdown_ = 0;
};

}  // namespace spillway
