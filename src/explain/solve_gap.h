// Solves for the number at which a step takes a measured time.
//
// Idea: a step grows nearly linearly with a time, and with 1 / speed, so the method of false position in that
// variable needs few evaluations; the Illinois rule (Dowell and Jarratt 1971) halves the value of an end that
// stays. Values have four digits, so that what is printed is what was evaluated.
// Cost: one evaluation at the end of the range, and mostly two to five inside. Test: solve_gap_test.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "explain/changed_steps.h"
#include "explain/gap_causes.h"

namespace spillway {

// Nothing if the step at the value cannot be evaluated.
using StepAt = std::function<std::optional<ChangedStep>(double value)>;

// Returns the value between `now` and the slower end of the range (the faster one unless `slower`) at which
// the step takes `measured`; the end itself if no value does. Nothing if the range has no such side, or if a
// step cannot be evaluated. Contract: the step changes in one direction over the range.
std::optional<double> solve_gap(const GapScale& scale, bool slower, Seconds measured, const StepAt& step_at);

// "0.4", "1.34": four significant digits.
std::string number_in_words(double value);

}  // namespace spillway
