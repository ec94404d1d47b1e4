// An entry of `schedules` that names a system (src/systems) in place of a schedule. Private to src/spec.
#pragma once

#include <optional>

#include "spec/experiment/schedule_reader.h"

namespace spillway {

// Contract: `place` is an object with the key "system".
std::optional<ScheduleSpec> read_system(const Place& place,
                                        const std::optional<ScheduleSurroundings>& around);

}  // namespace spillway
