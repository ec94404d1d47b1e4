#include "cost/placement.h"

#include <algorithm>
#include <utility>

namespace spillway {

std::optional<StraddlingGroups> straddling(const Platform& platform, const char* what, std::uint32_t size,
                                           std::uint32_t count) {
  const auto tier = std::find_if(platform.tiers.begin(), platform.tiers.end(),
                                 [&](const Tier& one) { return one.devices >= size; });
  if (tier == platform.tiers.end() || tier->devices % size == 0) return std::nullopt;
  StraddlingGroups groups{what, size, static_cast<std::size_t>(tier - platform.tiers.begin()), 0, count};
  for (std::uint32_t group = 0; group < count; ++group) {
    const std::uint64_t first = std::uint64_t{group} * size, last = first + size - 1;
    groups.torn += first / tier->devices != last / tier->devices;
  }
  return groups.torn > 0 ? std::optional(groups) : std::nullopt;
}

std::vector<StraddlingGroups> straddling_groups(const AnalyticCosts& costs, const Platform& platform,
                                                const Pipeline& pipeline) {
  const DeviceGrid grid = device_grid(costs, pipeline);
  const Parallelism& parallel = costs.parallelism;
  const std::uint32_t devices = grid.device_count(), stage = grid.replicas * grid.members;
  std::vector<StraddlingGroups> all;
  const auto add = [&](const char* what, std::uint32_t size) {
    if (size < 2) return;
    if (const auto torn = straddling(platform, what, size, devices / size)) all.push_back(*torn);
  };
  add("tensor-parallel groups", parallel.tensor);
  if (parallel.context > 1) add("context-parallel groups", parallel.members());
  if (parallel.expert_devices() > parallel.members())
    add("expert-parallel groups", parallel.expert_devices());
  if (grid.replicas > 1) add("stages' data-parallel groups", stage);
  return all;
}

std::optional<Platform> with_whole_groups(Platform platform, std::size_t tier, std::uint32_t size) {
  const std::uint32_t all = platform.tiers[tier].devices, used = all / size * size;
  for (std::size_t i = tier; i < platform.tiers.size(); ++i) {
    Tier& cut = platform.tiers[i];
    cut.devices = cut.devices / all * used;
    std::erase_if(cut.collectives,
                  [&](const MeasuredCollective& sweep) { return sweep.devices > cut.devices; });
  }
  return check_platform(platform).empty() ? std::optional(std::move(platform)) : std::nullopt;
}

std::optional<Platform> aligned(const AnalyticCosts& costs, const Pipeline& pipeline) {
  if (costs.parallelism.placement == Placement::Packed) return std::nullopt;
  const std::uint32_t devices = device_grid(costs, pipeline).device_count();
  Platform platform = costs.platform;
  bool changed = false;
  for (std::size_t tier = 0; tier < platform.tiers.size(); ++tier) {
    // The largest group size comes first: its whole groups hold whole groups of every size that divides it.
    std::vector<StraddlingGroups> torn = straddling_groups(costs, platform, pipeline);
    std::erase_if(torn, [&](const StraddlingGroups& groups) { return groups.tier != tier; });
    std::ranges::sort(torn, std::greater(), &StraddlingGroups::size);
    for (const StraddlingGroups& groups : torn) {
      auto whole = with_whole_groups(platform, tier, groups.size);
      if (!whole || whole->device_count() < devices) continue;
      platform = *std::move(whole);
      changed = true;
      break;
    }
  }
  return changed ? std::optional(std::move(platform)) : std::nullopt;
}

void align(AnalyticCosts& costs, const Pipeline& pipeline) {
  if (auto cut = aligned(costs, pipeline)) costs.packed = std::exchange(costs.platform, *std::move(cut));
}

}  // namespace spillway
