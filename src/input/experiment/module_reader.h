// The modules of a schedule, which have devices of their own. Private to src/input.
#pragma once

#include <optional>
#include <vector>

#include "input/experiment/schedule_reader.h"
#include "json/place.h"

namespace spillway {

// At the key "modules" of a schedule, held against the job; none where there is no such key. Nothing where
// something is amiss.
std::optional<std::vector<PlacedModule>> read_modules(const Fields& schedule,
                                                      const std::optional<ScheduleSurroundings>& around);

// Where a schedule with as many regions as modules is cut: between these. None for other numbers of regions.
std::optional<Cut> cut_between(const std::vector<PlacedModule>& modules, const Schedule& schedule);

}  // namespace spillway
