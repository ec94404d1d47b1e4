// Measured sweeps of collectives: a group that is there, points that ascend.
#include <tuple>

#include "platform/complaints.h"

namespace spillway {
namespace {

void check_group(const MeasuredCollective& sweep, std::uint32_t devices, std::uint32_t inner,
                 const std::string& pointer, Complaints& complaints) {
  if (sweep.devices < 2 || sweep.devices > devices)
    complaints.add(pointer + "/devices", "from 2 to the tier's " + std::to_string(devices),
                   std::to_string(sweep.devices));
  if (sweep.neighbours == 0 || sweep.neighbours > inner) {
    complaints.add(pointer + "/neighbours",
                   "from 1 to the " + std::to_string(inner) + " of a group of the tier before",
                   std::to_string(sweep.neighbours));
  } else if (sweep.devices % sweep.neighbours != 0 || sweep.devices == sweep.neighbours) {
    complaints.add(pointer + "/neighbours",
                   "a proper divisor of its " + std::to_string(sweep.devices) + " devices",
                   std::to_string(sweep.neighbours));
  }
}

void check_points(const Sourced<std::vector<std::pair<Bytes, Seconds>>>& points, const std::string& pointer,
                  Complaints& complaints) {
  complaints.source(pointer, points.source);
  if (points.value.empty()) complaints.add(pointer + "/points", "at least one point", "none");
  for (std::size_t i = 0; i < points.value.size(); ++i) {
    const std::string point = pointer + "/points/" + std::to_string(i);
    const auto& [bytes, time] = points.value[i];
    complaints.number(point + "/0", bytes.value(), kAboveZero);
    complaints.number(point + "/1", time / microseconds(1), kAboveZero);
    if (i > 0 && bytes <= points.value[i - 1].first)
      complaints.add(point + "/0", "more bytes than the point before", shortest(bytes.value()));
  }
}

bool same_sweep(const MeasuredCollective& a, const MeasuredCollective& b) {
  return std::tie(a.operation, a.devices, a.neighbours) == std::tie(b.operation, b.devices, b.neighbours);
}

}  // namespace

void check_collectives(const Platform& platform, std::size_t tier, Complaints& complaints) {
  const std::vector<MeasuredCollective>& sweeps = platform.tiers[tier].collectives;
  const std::uint32_t inner = tier == 0 ? 1 : platform.tiers[tier - 1].devices;
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    const std::string pointer = "/tiers/" + std::to_string(tier) + "/collectives/" + std::to_string(i);
    check_group(sweeps[i], platform.tiers[tier].devices, inner, pointer, complaints);
    check_points(sweeps[i].points, pointer, complaints);
    for (std::size_t j = 0; j < i; ++j)
      if (same_sweep(sweeps[i], sweeps[j]))
        complaints.add(pointer, "one sweep for each operation and group",
                       "the operation and group of collectives/" + std::to_string(j));
  }
}

}  // namespace spillway
