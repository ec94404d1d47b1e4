// Sentences and rows about steady steps. Private to report/inputs.
#pragma once

#include <string>
#include <vector>

#include "evaluate/held_steps.h"
#include "traces/logs/steady_steps.h"

namespace spillway {

// "1.204 s +- 0.3 % (95 %, 40 steps after 2 of warm-up)"
std::string steady_words(const SteadySteps& steady);

// The steps of warm-up and what they are, the spread of the steady ones, and their drift.
std::string steady_text(const SteadySteps& steady);

// A row for each schedule: predicted, measured, error, 90 % interval. Empty without a prediction.
std::string predictions_text(const std::vector<HeldStep>& predicted);

// "; 1f1b misses it by +3.1 %, inside its 90 % interval" of the first prediction; empty without one.
std::string prediction_words(const std::vector<HeldStep>& predicted);

// "1, 4 and 2 more"
std::string ranks_words(const std::vector<std::uint32_t>& ranks);

}  // namespace spillway
