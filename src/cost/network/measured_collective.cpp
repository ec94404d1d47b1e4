#include "cost/network/measured_collective.h"

#include <algorithm>

namespace spillway {

const MeasuredCollective* sweep_of(const Platform& platform, CollectiveOperation operation,
                                   const Devices& devices) {
  const std::uint32_t neighbours = common_size(by_inner_group(platform, devices));
  for (const MeasuredCollective& sweep : platform.tiers[widest_tier(platform, devices)].collectives) {
    const bool alike = sweep.devices == devices.size() && sweep.neighbours == neighbours;
    if (sweep.operation == operation && alike) return &sweep;
  }
  return nullptr;
}

Seconds read_off(std::span<const std::pair<Bytes, Seconds>> points, Bytes n) {
  ensure(!points.empty(), "read_off: a sweep without points");
  if (n <= points.front().first || points.size() == 1) return points.front().second;
  const auto beyond = [&](const auto& point) { return n <= point.first; };
  auto end = std::find_if(points.begin(), points.end(), beyond);
  const bool outside = end == points.end();
  if (outside) --end;
  const auto& [to, late] = *end;
  const auto& [from, early] = *(end - 1);
  const Seconds slope = outside ? std::max(Seconds(), late - early) : late - early;
  return late + slope * ((n - to) / (to - from));
}

}  // namespace spillway
