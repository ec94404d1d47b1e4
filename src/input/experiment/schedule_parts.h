// What schedules and systems have in common where they are read. Private to src/input.
#pragma once

#include <optional>
#include <vector>

#include "experiment/experiment.h"
#include "input/experiment/schedule_reader.h"
#include "json/place.h"

namespace spillway {

// A schedule's text at its key.
std::optional<Schedule> read_schedule_text(const Place& place);

// "draw" or "expected".
std::optional<bool> read_owner_from_draw(const Place& place);

// What planning a step takes, at its key; zero where nothing is said.
std::optional<Seconds> read_planning(const Fields& fields);

// Pointers that begin at the schedule. The sizes of the pipeline are at fault for every schedule alike and
// are reported once.
void report_of_schedule(std::vector<Violation> violations, const Place& schedule);

// Whatever else is said of it is known: no map is made for each draw where nothing has owners that look at
// sizes, and groups of microbatches that nobody stated are told.
void finish(ScheduleSpec& spec, const Pipeline& job);

// What of the step that it makes cannot be.
void report_step(const ScheduleSpec& spec, const ScheduleSurroundings& around, const Place& schedule);

// At the key "modules" of a schedule, held against the job; none where there is no such key. Nothing where
// something is amiss.
std::optional<std::vector<PlacedModule>> read_modules(const Fields& schedule,
                                                      const std::optional<ScheduleSurroundings>& around);

// Where a schedule with as many regions as modules is cut: between these. None for other numbers of regions.
std::optional<Cut> cut_between(const std::vector<PlacedModule>& modules, const Schedule& schedule);

}  // namespace spillway
