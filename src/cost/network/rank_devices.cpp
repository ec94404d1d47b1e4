#include "cost/network/rank_devices.h"

#include <algorithm>
#include <numeric>

namespace spillway {

RankDevices::RankDevices(const DeviceGrid& grid) {
  for (std::uint32_t rank = 0; rank < grid.ranks; ++rank)
    of_rank_.push_back({grid.device(RankId(rank), ReplicaId(0), 0).index(), grid.members, grid.members});
}

// Copy c of unit u is number u + units x c among a module's pipelines.
RankDevices::RankDevices(std::span<const PlacedModule> modules, const Pipeline& unit) {
  const std::vector<DeviceGrid> grids = module_grids(modules);
  const std::vector<ModulePlace> places = places_of(modules, unit);
  for (std::size_t module = 0; module < modules.size(); ++module)
    for (std::uint32_t rank = 0; rank < modules[module].ranks; ++rank)
      for (std::uint32_t copy = 0; copy < places[module].copies; ++copy) {
        const DeviceId first = grids[module].device(RankId(rank), ReplicaId(copy * unit.replicas), 0);
        of_rank_.push_back({first.index(), grids[module].members, grids[module].members});
      }
}

std::vector<DeviceGrid> module_grids(std::span<const PlacedModule> modules) {
  std::vector<std::size_t> order(modules.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return modules[a].members() > modules[b].members(); });
  std::vector<DeviceGrid> grids(modules.size());
  std::uint32_t first = 0;
  for (const std::size_t module : order) {
    const PlacedModule& one = modules[module];
    grids[module] = {one.ranks, one.replicas, one.members(), first};
    first += grids[module].device_count();
  }
  return grids;
}

RankDevices rank_devices(const Outline& outline, std::uint32_t members) {
  if (!outline.modules.empty()) return RankDevices(outline.modules, outline.pipeline);
  return RankDevices(DeviceGrid{outline.pipeline.ranks, outline.pipeline.replicas, members});
}

std::uint32_t flows_between(const RankDevices& devices, RankId from, RankId to) {
  return std::lcm(devices.members(from), devices.members(to));
}

BytesPerSecond port_capacity(const Platform& platform, std::size_t port) {
  BytesPerSecond most = platform.ports[port].bandwidth.value;
  for (const Tier& tier : platform.tiers)
    if (tier.port == port) most = std::max(most, tier.bandwidth.value);
  return most;
}

BytesPerSecond share_of_port(const Platform& platform, DeviceId a, DeviceId b, std::uint32_t flows) {
  return port_capacity(platform, tier_between(platform, a, b).port) / flows;
}

}  // namespace spillway
