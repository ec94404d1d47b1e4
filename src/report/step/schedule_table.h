// The schedules of an experiment side by side.
#pragma once

#include <string>

#include "evaluate/evaluation.h"
#include "report/step/picture.h"
#include "words/duration_text.h"

namespace spillway {

// One line per schedule: makespan and its interval over the draws, speedup, peak memory (marked where it does
// not fit), bubble, spill; with `all`, percentiles over the draws and makespans by engine, too. Times in
// `unit`.
std::string schedule_table(const Evaluation& evaluation, TimeUnit unit, bool all);

// A table of the systems, each over the balanced pipeline of the same body, draw by draw, and below which one
// that is and what each system rests on. Extra traffic: what leaves devices in the first draw beyond what
// does so in that pipeline. Planning: of a draw, in host time, where verbose. Empty where the experiment
// names no system.
std::string system_lines(const Evaluation& evaluation, TimeUnit unit, const TextStyle& style);

}  // namespace spillway
