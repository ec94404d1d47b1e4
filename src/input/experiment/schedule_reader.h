// Reads the schedules of an experiment, and what they must fit. Private to src/input.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "experiment/experiment.h"
#include "json/place.h"

namespace spillway {

// The surroundings that a schedule must fit. `options` has the pipeline and what all schedules share. `costs`
// is a view.
struct ScheduleSurroundings {
  Model model;
  DeriveOptions options;
  const JobCosts* costs;
};

// If the surroundings could not be read, only the content of the schedules themselves is checked, and nothing
// is returned.
std::optional<std::vector<ScheduleSpec>> read_schedules(const Place& place,
                                                        const std::optional<ScheduleSurroundings>& around);

}  // namespace spillway
