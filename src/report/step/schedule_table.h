// The schedules of an experiment side by side.
#pragma once

#include <string>

#include "evaluate/evaluation.h"
#include "words/duration_text.h"

namespace spillway {

// One line per schedule: makespan and its interval over the draws, speedup, peak memory (marked where it does
// not fit), bubble, spill; with `all`, percentiles over the draws and makespans by engine, too. Times in
// `unit`.
std::string schedule_table(const Evaluation& evaluation, TimeUnit unit, bool all);

}  // namespace spillway
