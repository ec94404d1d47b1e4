#include "cost/network/expert_routing.h"

#include <algorithm>

#include "base/error.h"
#include "cost/network/collective_layout.h"

namespace spillway {
namespace {

// C(n - without, k) / C(n, k): the probability that none of k drawn from n is one of `without`.
double none_of(double n, double without, std::uint32_t k) {
  double probability = 1;
  for (std::uint32_t i = 0; i < k; ++i) probability *= std::max(0.0, n - without - i) / (n - i);
  return probability;
}

double choose(std::uint32_t n, std::uint32_t k) {
  if (k > n) return 0;
  double ways = 1;
  for (std::uint32_t i = 0; i < k; ++i) ways = ways * (n - i) / (i + 1);
  return ways;
}

}  // namespace

double parts_reached(const ExpertRouting& routing, std::uint32_t parts) {
  ensure(routing.chosen >= 1 && parts >= 1 && parts <= routing.experts, "parts_reached: sizes");
  ExpertRouting r = routing;
  if (parts % r.groups != 0 && r.groups % parts != 0) r.groups = r.chosen_groups = 1;
  const std::uint32_t groups_of_part = std::max(1U, r.groups / parts);
  const double experts = r.experts, in_group = experts / r.groups;
  const double of_each_group = experts / parts / groups_of_part;  // experts of a part
  double missed = 0;
  for (std::uint32_t j = 0; j <= std::min(groups_of_part, r.chosen_groups); ++j) {
    const double ways = choose(groups_of_part, j) * choose(r.groups - groups_of_part, r.chosen_groups - j);
    missed += ways * none_of(r.chosen_groups * in_group, j * of_each_group, r.chosen);
  }
  return parts * (1 - missed / choose(r.groups, r.chosen_groups));
}

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
