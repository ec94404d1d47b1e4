#include "cost/network/expert_exchange.h"

#include "cost/network/collective_layout.h"

namespace spillway {

std::vector<ExchangeLevel> exchange_levels(const Platform& platform, const DeviceGroup& group,
                                           ExpertDispatch dispatch, const ExpertRouting& routing) {
  if (dispatch != ExpertDispatch::PerNode) return {{group, static_cast<double>(routing.chosen)}};
  const double to_devices = parts_reached(routing, group.size);
  const std::vector<Devices> nodes =
      by_group(devices_of(platform, group), platform.tiers[server_tier(platform)]);
  const std::uint32_t in_node = common_size(nodes);
  const auto count = static_cast<std::uint32_t>(nodes.size());
  if (count == 1 || in_node < 2) return {{group, to_devices}};
  return {{{group.first, count, in_node}, parts_reached(routing, count)},
          {{group.first, in_node}, to_devices}};
}

}  // namespace spillway
