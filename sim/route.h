// Where flows run: out of one end of a port and into another. No SimGrid here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/quantity.h"
#include "platform/platform.h"
#include "sim/flows.h"

namespace spillway {

struct SharedFlow;  // sim/shared_flows.h

// A device's end of a port, one way, and what flows there.
struct PortEnd {
  BytesPerSecond bandwidth;
  std::vector<std::uint32_t> alone = {};  // by their numbers in Traffic
  std::uint32_t shared = 0;               // that SimGrid runs
  BytesPerSecond shared_rate = {};        // what those would get alone, summed up
  std::uint32_t starting = 0;             // at this moment, together

  bool idle() const { return alone.empty() && shared == 0; }
};

struct Route {
  DeviceId from;
  DeviceId to;
  std::size_t tier;      // the smallest that holds both
  std::size_t port;      // of that tier
  bool whole_port;       // not held to what a pair gets
  BytesPerSecond alone;  // what a flow gets that meets no other
  PortEnd* out;
  PortEnd* in;
  std::vector<SharedFlow*> idle = {};  // that ran here and may run again
};

class Routes {
 public:
  // Of the first `devices` devices. Contract: the platform has as many.
  Routes(const Platform& platform, std::uint32_t devices);
  Routes(const Routes&) = delete;
  Routes& operator=(const Routes&) = delete;

  // A message between one pair of devices, or the part of a collective that one port carries for many pairs.
  enum class Carries { Message, Port };
  // Contract: between two devices below `devices`.
  Route& between(Flow flow, Carries carries);

  const Platform& platform() const { return platform_; }
  std::uint32_t devices() const { return devices_; }

 private:
  Route open(Flow flow, Carries carries);

  const Platform platform_;
  const std::uint32_t devices_;
  std::vector<PortEnd> ends_;                                       // [device][port][out, in]
  std::array<std::unordered_map<std::uint64_t, Route>, 2> routes_;  // by Carries, pair of devices
};

}  // namespace spillway
