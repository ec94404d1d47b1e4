// What speedups are over: a speedup over a weak baseline says little of what is transposed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluate/evaluate.h"

namespace spillway {

// The least mean makespan of what transposes nothing and fits, the experiment's own and what was added; null
// where there is none.
const ScheduleResult* quickest_plain(const Evaluation& evaluation);

// By draw.
std::vector<double> speedups_over(const ScheduleResult& reference, const ScheduleResult& schedule);

// "[balanced-1f1b]": no schedule of the experiment.
std::string added_name(const ScheduleResult& reference);

// For the terminal, where something is transposed: the speedups over a balanced pipeline of the same body and
// over the quickest of what transposes nothing. Empty where references were not run.
std::string baselines_text(const Evaluation& evaluation, std::size_t columns);

}  // namespace spillway
