// What speedups are over, in words.
#pragma once

#include <cstddef>
#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// "[balanced-1f1b]": no schedule of the experiment.
std::string added_name(const ScheduleResult& reference);

// In brackets where it is one that was added.
std::string shown_name(const Evaluation& evaluation, const ScheduleResult& schedule);

// For the terminal, where something is transposed: the speedups over a balanced pipeline of the same body and
// over the fastest of what transposes nothing. Empty where references were not run.
std::string baselines_text(const Evaluation& evaluation, std::size_t columns);

}  // namespace spillway
