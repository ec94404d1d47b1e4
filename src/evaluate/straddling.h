// Groups of devices that lie in two groups of a tier though one would hold them: 64 neighbours where a rack
// has 72.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/warning.h"
#include "evaluate/evaluation.h"

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

// Every tier from `tier` on with as many devices of each of its groups as make whole groups of `size`; the
// others stay empty. Nothing where an inner tier would be torn by that, or the rest is no platform.
std::optional<Platform> with_whole_groups(Platform platform, std::size_t tier, std::uint32_t size);

// A warning "straddling" for each kind of group that does: tensor- and context-parallel, expert-parallel, a
// stage's data-parallel one. Empty where durations are given.
std::vector<Warning> straddling_warnings(const Experiment& experiment);

// Those warnings with what the experiment's schedules would take (longest path, the first draws) were whole
// groups kept together; `fitted` are set before.
std::vector<Warning> priced_straddling_warnings(Experiment experiment,
                                                const std::vector<FittedParameter>& fitted);

}  // namespace spillway
