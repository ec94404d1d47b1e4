// Groups of devices that straddle two groups of a tier although one would hold them (64 neighbours, racks of
// 72), and a platform on which they do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cost/analytic_costs.h"

namespace spillway {

// Consecutive devices that communicate among themselves, and how they lie.
struct StraddlingGroups {
  const char* what;  // "expert-parallel groups"
  std::uint32_t size;
  std::size_t tier;    // smallest tier that could hold a group
  std::uint32_t torn;  // groups that lie in two or more of its groups
  std::uint32_t of;
};

// The groups are `count` runs of `size` devices, from device 0 on. Nothing if no group straddles.
std::optional<StraddlingGroups> straddling(const Platform& platform, const char* what, std::uint32_t size,
                                           std::uint32_t count);

// The job's tensor-, context- and expert-parallel groups, and the data-parallel groups of a stage.
std::vector<StraddlingGroups> straddling_groups(const AnalyticCosts& costs, const Platform& platform,
                                                const Pipeline& pipeline);

// Reduces every tier from `tier` on to the devices that make whole groups of `size`, and leaves the others
// empty. Nothing if an inner tier would be torn by that, or if the result is no valid platform.
std::optional<Platform> with_whole_groups(Platform platform, std::size_t tier, std::uint32_t size);

// The job's platform with as many devices of each tier left empty as keep groups whole, as far as the job
// still fits. Nothing if that changes nothing, or if the job asks for packed placement.
std::optional<Platform> aligned(const AnalyticCosts& costs, const Pipeline& pipeline);

// Puts the job on that platform; `costs.packed` is then its platform of before.
void align(AnalyticCosts& costs, const Pipeline& pipeline);

}  // namespace spillway
