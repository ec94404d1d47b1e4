// The parts that readers of schedules and of systems share. Private to src/input.
#pragma once

#include <optional>
#include <vector>

#include "experiment/experiment.h"
#include "input/experiment/schedule_reader.h"
#include "json/place.h"

namespace spillway {

// Reads a schedule's text at its key.
std::optional<Schedule> read_schedule_text(const Place& place);

// Reads "draw" (true) or "expected".
std::optional<bool> read_owner_from_draw(const Place& place);

// Reads the time of planning a step at its key; zero if it is not stated.
std::optional<Seconds> read_planning(const Fields& fields);

// Reports violations whose pointers begin at the schedule. Sizes of the pipeline affect every schedule alike
// and are reported once.
void report_of_schedule(std::vector<Violation> violations, const Place& schedule);

// Completes a schedule after all else is known. If nothing has owners that depend on sizes, no map is made
// for each draw. Groups of microbatches that nobody stated become an assumption.
void finish(ScheduleSpec& spec, const Pipeline& job);

// Reports violations of the step that the schedule makes.
void report_step(const ScheduleSpec& spec, const ScheduleSurroundings& around, const Place& schedule);

// Reads the key "modules" of a schedule and checks it against the job. Returns no modules if the key is
// absent, and nothing if there are violations.
std::optional<std::vector<PlacedModule>> read_modules(const Fields& schedule,
                                                      const std::optional<ScheduleSurroundings>& around);

// Returns the cut between the modules for a schedule with as many regions as modules; nothing for other
// numbers of regions.
std::optional<Cut> cut_between(const std::vector<PlacedModule>& modules, const Schedule& schedule);

}  // namespace spillway
