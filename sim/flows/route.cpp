#include "sim/flows/route.h"

#include "base/error.h"
#include "cost/network/rank_devices.h"

namespace spillway {

Routes::Routes(const Platform& platform, std::uint32_t devices) : platform_(platform), devices_(devices) {
  ensure(devices <= platform.device_count(), "the platform has enough devices");
  ends_.reserve(std::size_t{2} * devices * platform.ports.size());
  for (std::uint32_t device = 0; device < devices; ++device)
    for (std::size_t port = 0; port < platform.ports.size(); ++port)
      ends_.insert(ends_.end(), 2, PortEnd{port_capacity(platform, port)});
}

Route& Routes::between(Flow flow, Carries carries) {
  auto& routes = routes_[static_cast<std::size_t>(carries)];
  const std::uint64_t pair = std::uint64_t{flow.from.index()} << 32 | flow.to.index();
  const auto found = routes.find(pair);
  if (found != routes.end()) return found->second;
  return routes.emplace(pair, open(flow, carries)).first->second;
}

Route Routes::open(Flow flow, Carries carries) {
  const Tier& tier = tier_between(platform_, flow.from, flow.to);
  const std::size_t ports = platform_.ports.size();
  const bool whole = carries == Carries::Port;
  PortEnd& out = ends_[2 * (flow.from.index() * ports + tier.port)];
  PortEnd& in = ends_[2 * (flow.to.index() * ports + tier.port) + 1];
  const auto index = static_cast<std::size_t>(&tier - platform_.tiers.data());
  return {flow.from, flow.to, index, tier.port, whole, whole ? out.bandwidth : tier.bandwidth.value,
          &out,      &in};
}

}  // namespace spillway
