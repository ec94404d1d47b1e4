#include "cost/network/collective_layout.h"

#include <algorithm>

namespace spillway {

Devices devices_of(const Platform& platform, const DeviceGroup& group) {
  Devices devices;
  devices.reserve(group.device_count());
  for (std::uint32_t i = 0; i < group.device_count(); ++i) devices.push_back(group.device(i));
  std::sort(devices.begin(), devices.end());
  ensure(!devices.empty(), "a collective without devices");
  ensure(devices.back().index() < platform.device_count(), "a collective with a device outside the platform");
  ensure(std::adjacent_find(devices.begin(), devices.end()) == devices.end(),
         "a collective with a device twice");
  return devices;
}

std::size_t tier_index(const Platform& platform, DeviceId a, DeviceId b) {
  return static_cast<std::size_t>(&tier_between(platform, a, b) - platform.tiers.data());
}

std::size_t widest_tier(const Platform& platform, const Devices& devices) {
  return tier_index(platform, devices.front(), devices.back());
}

PlaceInTiers place_in_tiers(const Platform& platform, const DeviceGroup& group) {
  const std::size_t spanned = tier_index(platform, group.first, group.device(group.device_count() - 1));
  return {spanned, spanned > 0 ? group.first.index() % platform.tiers[spanned - 1].devices : 0};
}

std::vector<Devices> by_group(const Devices& devices, const Tier& tier) {
  std::vector<Devices> parts;
  for (const DeviceId device : devices) {
    const bool next =
        parts.empty() || parts.back().back().index() / tier.devices != device.index() / tier.devices;
    if (next) parts.emplace_back();
    parts.back().push_back(device);
  }
  return parts;
}

std::vector<Devices> by_inner_group(const Platform& platform, const Devices& devices) {
  const std::size_t widest = widest_tier(platform, devices);
  if (widest > 0) return by_group(devices, platform.tiers[widest - 1]);
  std::vector<Devices> alone;
  for (const DeviceId device : devices) alone.push_back({device});
  return alone;
}

std::uint32_t common_size(const std::vector<Devices>& parts) {
  const std::size_t size = parts.front().size();
  const auto same = [&](const Devices& part) { return part.size() == size; };
  return std::all_of(parts.begin(), parts.end(), same) ? static_cast<std::uint32_t>(size) : 0;
}

std::size_t ring_count(const std::vector<Devices>& parts) {
  const auto smaller = [](const Devices& a, const Devices& b) { return a.size() < b.size(); };
  return std::min_element(parts.begin(), parts.end(), smaller)->size();
}

std::vector<Devices> counterparts(const std::vector<Devices>& parts) {
  std::vector<Devices> result(parts.front().size());
  for (const Devices& part : parts) {
    for (std::size_t i = 0; i < part.size(); ++i) result[i].push_back(part[i]);
  }
  return result;
}

std::size_t server_tier(const Platform& platform) {
  for (std::size_t i = 0; i < platform.tiers.size(); ++i) {
    if (platform.tiers[i].name == "node") return i;
  }
  return 0;
}

std::vector<Hierarchy> hierarchies(const Platform& platform, CollectiveOperation operation,
                                   const Devices& devices) {
  std::vector<Hierarchy> result;
  const std::size_t widest = widest_tier(platform, devices);
  const bool hccl = platform.library == CollectiveLibrary::Hccl;
  for (std::size_t t = hccl ? server_tier(platform) : 0; t < widest; ++t) {
    const std::vector<Devices> inside = by_group(devices, platform.tiers[t]);
    if (common_size(inside) < 2) continue;
    const auto add = [&](Algorithm inside_by, Algorithm across_by) {
      result.push_back({inside, counterparts(inside), inside_by, across_by});
    };
    if (operation == CollectiveOperation::AllToAll) {
      add(Algorithm::Mesh, Algorithm::Mesh);
    } else if (!hccl) {
      add(Algorithm::Ring, Algorithm::Ring);
    } else {
      const bool meshed = platform.tiers[t].wiring == Wiring::Mesh;
      const Algorithm inside_by = meshed ? Algorithm::Mesh : Algorithm::Ring;
      add(inside_by, Algorithm::Ring);
      add(inside_by, Algorithm::HalvingDoubling);
    }
  }
  return result;
}

std::vector<HierarchicalPhase> phases(const Hierarchy& hierarchy, CollectiveOperation operation) {
  using enum CollectiveOperation;
  const double part = 1.0 / static_cast<double>(hierarchy.across.size());
  const auto inside = [&](CollectiveOperation what) {
    return HierarchicalPhase{what, hierarchy.inside_by, hierarchy.inside, 1};
  };
  const auto across = [&](CollectiveOperation what, double share) {
    return HierarchicalPhase{what, hierarchy.across_by, hierarchy.across, share};
  };
  switch (operation) {
    case AllReduce:
      return {inside(ReduceScatter), across(AllReduce, part), inside(AllGather)};
    case ReduceScatter:
      return {inside(ReduceScatter), across(ReduceScatter, part)};
    case AllGather:
      return {across(AllGather, part), inside(AllGather)};
    case AllToAll:
      return {inside(AllToAll), across(AllToAll, 1)};
    default:
      throw ContractBreach("phases: a message has no levels");
  }
}

double port_share(const Platform& platform, CollectiveOperation operation, const Devices& devices,
                  AddedUp added_up) {
  using enum CollectiveOperation;
  ensure(devices.size() > 1, "a collective loads no port of a device alone");
  const double all = static_cast<double>(devices.size());
  const double part = static_cast<double>(ring_count(by_inner_group(platform, devices)));
  const double outside = (all - part) / all;
  switch (operation) {
    case AllGather:
    case ReduceScatter:
      return outside / part;
    case AllReduce:
      return (added_up == AddedUp::ByDevices ? 2 * outside : std::min(1.0, 2 * outside)) / part;
    case AllToAll:
      return outside;
    case SendRecv:
      return 1;
  }
  throw ContractBreach("unknown collective operation");
}

}  // namespace spillway
