// The schedules of an experiment, and what they are held against. Private to src/input.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "experiment/experiment.h"
#include "json/place.h"

namespace spillway {

// What a schedule has to fit; options carry the pipeline and what belongs to every schedule alike. Views the
// costs.
struct ScheduleSurroundings {
  Model model;
  DeriveOptions options;
  const JobCosts* costs;
};

// Without surroundings, because they could not be read, only what stands in the schedules themselves is
// checked and nothing is returned.
std::optional<std::vector<ScheduleSpec>> read_schedules(const Place& place,
                                                        const std::optional<ScheduleSurroundings>& around);

}  // namespace spillway
