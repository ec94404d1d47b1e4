// Reads an entry of `schedules` that names a system (src/systems) instead of a schedule. Private to
// src/input.
#pragma once

#include <optional>

#include "input/experiment/schedule_reader.h"

namespace spillway {

// Further inputs of its layout: terms imposed on every system (equal_terms.h), and the times of modules.
struct SystemSetting {
  std::optional<Terms> terms = {};
  std::vector<Seconds> module_times = {};
  std::uint32_t efficient_parts = 1;
};

// Contract: `place` is an object with the key "system".
std::optional<ScheduleSpec> read_system(const Place& place, const std::optional<ScheduleSurroundings>& around,
                                        const SystemSetting& setting = {});

// Settles what the schedules leave open until the whole job is read: the devices of modules
// (draws/solved_modules.h), and segments (systems/dip.cpp). Checks that parts of microbatches divide their
// samples. `schedules` is the list that contains them.
void settle(const Place& schedules, Experiment& experiment);

}  // namespace spillway
