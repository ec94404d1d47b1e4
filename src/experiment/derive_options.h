// What derive is asked for the schedules of an experiment.
#pragma once

#include "experiment/experiment.h"

namespace spillway {

// What belongs to every schedule alike.
DeriveOptions common_options(const Pipeline& pipeline, PointToPoint point_to_point, const JobCosts& costs);

// With what the schedule says. Owner maps and expectations are left out: they are planned.
DeriveOptions derive_options(DeriveOptions common, const ScheduleSpec& schedule);
DeriveOptions derive_options(const Experiment& experiment, const ScheduleSpec& schedule);

}  // namespace spillway
