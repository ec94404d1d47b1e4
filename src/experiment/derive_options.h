// The options of derive() for the schedules of an experiment.
#pragma once

#include <vector>

#include "base/error.h"
#include "experiment/experiment.h"

namespace spillway {

// Returns the options that all schedules share.
DeriveOptions common_options(const Pipeline& pipeline, PointToPoint point_to_point, const JobCosts& costs);

// Adds the options that the schedule states. Expectations, and owner maps that it does not state, are planned
// later.
DeriveOptions derive_options(DeriveOptions common, const ScheduleSpec& schedule);
DeriveOptions derive_options(const Experiment& experiment, const ScheduleSpec& schedule);

// Returns every violation that derive() would find in the schedule.
std::vector<Violation> check_derive(const Experiment& experiment, const ScheduleSpec& schedule);

}  // namespace spillway
