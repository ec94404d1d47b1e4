#include "sim/simgrid/network.h"

#include <xbt/log.h>

#include <cmath>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Link.hpp>
#include <simgrid/s4u/NetZone.hpp>
#include <string>
#include <utility>

#include "sim/simgrid/zones.h"

namespace spillway {
namespace {

namespace sg = simgrid::s4u;

constexpr int kLargestExponent = 62;

}  // namespace

// https://simgrid.org/doc/v3.32/Configuring_SimGrid.html
void configure_simgrid() {
  static bool configured = false;
  if (std::exchange(configured, true)) return;
  xbt_log_control_set("xbt_cfg.thres:warning");
  // Values are texts: SimGrid 4.0 uses other types for some, and reads past the end of a value of the wrong
  // type.
  sg::Engine::set_config("network/model:CM02");
  sg::Engine::set_config("network/TCP-gamma:0");
  sg::Engine::set_config("network/crosstraffic:0");
  sg::Engine::set_config("network/latency-factor:1");
  sg::Engine::set_config("network/bandwidth-factor:1");
  // Without this, a flow without latency has no positive weight, and SimGrid never ends it. All weights stay
  // equal.
  sg::Engine::set_config("network/weight-S:1");
}

Network::Network(const Routes& routes, sg::NetZone* root)
    : platform_(routes.platform()),
      leaves_(std::size_t{routes.devices()} * platform_.tiers.size(), nullptr),
      open_(std::size_t{routes.devices()} * platform_.ports.size(), nullptr),
      up_(open_.size(), nullptr),
      down_(open_.size(), nullptr) {
  for (std::size_t port = 0; port < platform_.ports.size(); ++port)
    add_plane(port, routes.capacity(port), root);
}

sg::Link* Network::add_link(sg::NetZone* zone, const std::string& name, BytesPerSecond bandwidth) {
  sg::Link* link = add_link_to(zone, name, bandwidth.value());
  links_.push_back({link, bandwidth});
  return link;
}

sg::Host* Network::add_leaf(const End& end, const std::string& name, BytesPerSecond at_most) {
  Links out{sg::LinkInRoute(end.up)};
  if (at_most < end.bandwidth) {
    sg::Link* cap = add_link(end.zone, name + ".cap", at_most);
    out.emplace_back(cap->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE)->set_latency(0.0)->seal());
  }
  sg::Host* leaf = add_host_to(end.zone, name);
  add_way_out(end.zone, leaf, out);
  add_way_in(end.zone, leaf, {sg::LinkInRoute(end.down)});
  return leaf->seal();
}

void Network::add_plane(std::size_t port, BytesPerSecond shared, sg::NetZone* root) {
  const std::string& plane = platform_.ports[port].name;
  sg::NetZone* zone = add_star_to(root, plane);
  const std::size_t devices = open_.size() / platform_.ports.size();
  for (std::size_t device = 0; device < devices; ++device) {
    const std::string name = plane + '.' + std::to_string(device);
    const End end{zone, add_link(zone, name + ".up", shared)->set_latency(0.0)->seal(),
                  add_link(zone, name + ".down", shared)->set_latency(0.0)->seal(), shared};
    const std::size_t at = device * platform_.ports.size() + port;
    up_[at] = end.up, down_[at] = end.down;
    sg::Host*& open = open_[at];
    for (std::size_t tier = 0; tier < platform_.tiers.size(); ++tier) {
      if (platform_.tiers[tier].port != port) continue;
      const BytesPerSecond pair = platform_.tiers[tier].bandwidth.value;
      sg::Host* leaf = add_leaf(end, name + '.' + platform_.tiers[tier].name, pair);
      leaves_[device * platform_.tiers.size() + tier] = leaf;
      if (pair == shared) open = leaf;
    }
    if (!open) open = add_leaf(end, name + ".open", shared);
  }
  zone->seal();
}

sg::Host* Network::leaf(const Route& route, DeviceId device) const {
  if (!route.whole_port) return leaves_[device.index() * platform_.tiers.size() + route.tier];
  return open_[port_end(route, device)];
}

void Network::fit_unit_to(Bytes largest, int slowdown) {
  if (largest <= Bytes(0)) return;
  const int exponent = kLargestExponent - 1 - std::ilogb(largest.value());
  if (exponent == exponent_ && slowdown == slowdown_) return;
  exponent_ = exponent;
  slowdown_ = slowdown;
  for (const Rated& rated : links_) {
    rated.link->set_bandwidth(std::ldexp(rated.bandwidth.value(), exponent - slowdown));
  }
}

std::uint64_t Network::units(Bytes payload) const {
  return static_cast<std::uint64_t>(std::llround(std::ldexp(payload.value(), exponent_)));
}

}  // namespace spillway
