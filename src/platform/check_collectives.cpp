// Checks measured sweeps of collectives: their group exists, and their points ascend.
#include <tuple>

#include "platform/figure_checks.h"

namespace spillway {
namespace {

void check_group(const MeasuredCollective& sweep, std::uint32_t devices, std::uint32_t inner,
                 const std::string& pointer, Findings& findings) {
  if (sweep.devices < 2 || sweep.devices > devices)
    findings.add(pointer + "/devices", "from 2 to the tier's " + std::to_string(devices),
                 std::to_string(sweep.devices));
  if (sweep.neighbours == 0 || sweep.neighbours > inner) {
    findings.add(pointer + "/neighbours",
                 "from 1 to the " + std::to_string(inner) + " of a group of the tier before",
                 std::to_string(sweep.neighbours));
  } else if (sweep.devices % sweep.neighbours != 0 || sweep.devices == sweep.neighbours) {
    findings.add(pointer + "/neighbours",
                 "a proper divisor of its " + std::to_string(sweep.devices) + " devices",
                 std::to_string(sweep.neighbours));
  }
}

void check_points(const Sourced<std::vector<std::pair<Bytes, Seconds>>>& points, const std::string& pointer,
                  Findings& findings) {
  check_source(pointer, points.source, findings);
  if (points.value.empty()) findings.add(pointer + "/points", "at least one point", "none");
  for (std::size_t i = 0; i < points.value.size(); ++i) {
    const std::string point = pointer + "/points/" + std::to_string(i);
    const auto& [bytes, time] = points.value[i];
    check_number(point + "/0", bytes.value(), kAboveZero, findings);
    check_number(point + "/1", time / microseconds(1), kAboveZero, findings);
    if (i > 0 && bytes <= points.value[i - 1].first)
      findings.add(point + "/0", "more bytes than the point before", shortest(bytes.value()));
  }
}

bool same_sweep(const MeasuredCollective& a, const MeasuredCollective& b) {
  return std::tie(a.operation, a.devices, a.neighbours) == std::tie(b.operation, b.devices, b.neighbours);
}

}  // namespace

void check_collectives(const Platform& platform, std::size_t tier, Findings& findings) {
  const std::vector<MeasuredCollective>& sweeps = platform.tiers[tier].collectives;
  const std::uint32_t inner = tier == 0 ? 1 : platform.tiers[tier - 1].devices;
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    const std::string pointer = "/tiers/" + std::to_string(tier) + "/collectives/" + std::to_string(i);
    check_group(sweeps[i], platform.tiers[tier].devices, inner, pointer, findings);
    check_points(sweeps[i].points, pointer, findings);
    for (std::size_t j = 0; j < i; ++j)
      if (same_sweep(sweeps[i], sweeps[j]))
        findings.add(pointer, "one sweep for each operation and group",
                     "the operation and group of collectives/" + std::to_string(j));
  }
}

}  // namespace spillway
