// The names of the baselines that speedups refer to, and the speedups over them, in words.
#pragma once

#include <cstddef>
#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// Returns the name in brackets, "[balanced-1f1b]". Brackets mark a schedule that the experiment does not
// have.
std::string added_name(const ScheduleResult& reference);

// Returns the schedule's name, in brackets if the evaluation added the schedule as a reference.
std::string shown_name(const Evaluation& evaluation, const ScheduleResult& schedule);

// Returns lines for the terminal if a schedule transposes a region. They state the speedups over a balanced
// pipeline of the same body, and over the fastest schedule that transposes nothing. Empty if no references
// ran.
std::string baselines_text(const Evaluation& evaluation, std::size_t columns);

}  // namespace spillway
