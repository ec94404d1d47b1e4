// Routes of flows: out of one port end and into another. No SimGrid here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/quantity.h"
#include "platform/platform.h"
#include "sim/flows/flows.h"

namespace spillway {

struct SharedFlow;  // of the engine that runs it

// One end of a device's port, in one direction, with its flows.
struct PortEnd {
  BytesPerSecond bandwidth;
  std::vector<std::uint32_t> alone = {};  // flows that run alone, by their numbers in Traffic
  std::uint32_t shared = 0;               // flows that SimGrid runs
  BytesPerSecond shared_rate = {};        // sum of the rates that those would have alone
  std::uint32_t starting = 0;             // flows that start together now

  bool idle() const { return alone.empty() && shared == 0; }
};

struct Route {
  DeviceId from;
  DeviceId to;
  std::size_t tier;      // the smallest that holds both
  std::size_t port;      // the port of that tier
  bool whole_port;       // flows may use more than the bandwidth of one pair
  BytesPerSecond alone;  // bandwidth of a flow that shares nothing
  PortEnd* out;
  PortEnd* in;
  std::vector<SharedFlow*> idle = {};  // ended flows of this route that can be started again
};

class Routes {
 public:
  // Routes among the first `devices` devices. Contract: the platform has that many.
  Routes(const Platform& platform, std::uint32_t devices);
  Routes(const Routes&) = delete;
  Routes& operator=(const Routes&) = delete;

  // A message between one pair of devices, or the part of a collective that one port carries for many pairs.
  enum class Carries { Message, Port };
  // Contract: both devices are below `devices`.
  Route& between(Flow flow, Carries carries);

  const Platform& platform() const { return platform_; }
  std::uint32_t devices() const { return devices_; }
  // Returns the bandwidth of a port in one direction.
  BytesPerSecond capacity(std::size_t port) const { return ends_[2 * port].bandwidth; }

 private:
  Route open(Flow flow, Carries carries);

  const Platform platform_;
  const std::uint32_t devices_;
  std::vector<PortEnd> ends_;                                       // [device][port][out, in]
  std::array<std::unordered_map<std::uint64_t, Route>, 2> routes_;  // by Carries, pair of devices
};

}  // namespace spillway
