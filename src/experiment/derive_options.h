// The options by which the schedules of an experiment are derived.
#pragma once

#include <vector>

#include "base/error.h"
#include "experiment/experiment.h"

namespace spillway {

// The options that all schedules share.
DeriveOptions common_options(const Pipeline& pipeline, PointToPoint point_to_point, const JobCosts& costs);

// Adds what the schedule states. Owner maps and expectations are left out: they are planned.
DeriveOptions derive_options(DeriveOptions common, const ScheduleSpec& schedule);
DeriveOptions derive_options(const Experiment& experiment, const ScheduleSpec& schedule);

// Every violation that derive() would find for the schedule.
std::vector<Violation> check_derive(const Experiment& experiment, const ScheduleSpec& schedule);

}  // namespace spillway
