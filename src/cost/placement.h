// Groups of devices that lie in two groups of a tier though one would hold them, 64 neighbours where a rack
// has 72, and a platform on which they do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cost/analytic_costs.h"

namespace spillway {

// Consecutive devices that talk among themselves, and how they lie.
struct StraddlingGroups {
  const char* what;  // "expert-parallel groups"
  std::uint32_t size;
  std::size_t tier;    // the smallest that could hold one
  std::uint32_t torn;  // how many lie in two of its groups or more
  std::uint32_t of;
};

// Groups of `size` from device 0 on, `count` of them. Nothing where none is torn.
std::optional<StraddlingGroups> straddling(const Platform& platform, const char* what, std::uint32_t size,
                                           std::uint32_t count);

// Of the job: tensor- and context-parallel, expert-parallel, a stage's data-parallel ones.
std::vector<StraddlingGroups> straddling_groups(const AnalyticCosts& costs, const Platform& platform,
                                                const Pipeline& pipeline);

// Every tier from `tier` on with as many devices of each of its groups as make whole groups of `size`; the
// others stay empty. Nothing where an inner tier would be torn by that, or the rest is no platform.
std::optional<Platform> with_whole_groups(Platform platform, std::size_t tier, std::uint32_t size);

// The job's platform with as much of each tier left empty as keeps whole what would straddle, as far as the
// job still fits. Nothing where that changes nothing, or devices are to lie side by side.
std::optional<Platform> aligned(const AnalyticCosts& costs, const Pipeline& pipeline);

// Puts the job on that platform; `costs.packed` is then the one it had.
void align(AnalyticCosts& costs, const Pipeline& pipeline);

}  // namespace spillway
