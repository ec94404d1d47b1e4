// Tables of an experiment's schedules, side by side, and of its training systems.
#pragma once

#include <string>

#include "evaluate/evaluation.h"
#include "report/step/picture.h"
#include "words/duration_text.h"

namespace spillway {

// Returns one line for each schedule: makespan and its interval over the draws, speedup, peak memory (marked
// if it does not fit), bubble and spill. `all` adds percentiles over the draws and the makespan by each
// engine. Times are in `unit`.
std::string schedule_table(const Evaluation& evaluation, TimeUnit unit, bool all);

// Returns a table that compares each system with the balanced pipeline of the same body, draw by draw. The
// lines below it name that pipeline and state the assumptions of each system. "Extra traffic" is the bytes
// that leave devices in the first draw, minus those of that pipeline. "Planning", if verbose, is the host
// time to plan one draw. Empty if no schedule has assumptions or an exposed or stated planning time.
std::string system_lines(const Evaluation& evaluation, TimeUnit unit, const TextStyle& style);

}  // namespace spillway
