// An entry of `schedules` that names a system (src/systems) in place of a schedule. Private to src/input.
#pragma once

#include <optional>

#include "input/experiment/schedule_reader.h"

namespace spillway {

// What its layout may follow from besides: terms that are imposed on every system (equal_terms.h), and what
// modules are found to take.
struct SystemSetting {
  std::optional<Terms> terms = {};
  std::vector<Seconds> module_times = {};
  std::uint32_t efficient_parts = 1;
};

// Contract: `place` is an object with the key "system".
std::optional<ScheduleSpec> read_system(const Place& place, const std::optional<ScheduleSurroundings>& around,
                                        const SystemSetting& setting = {});

// Settles what the schedules leave open until the whole job is read: devices of modules
// (draws/solved_modules.h), and segments (systems/dip.cpp). Parts of
// microbatches have to divide their samples. `schedules` is the list that
// they are in.
void settle(const Place& schedules, Experiment& experiment);

}  // namespace spillway
