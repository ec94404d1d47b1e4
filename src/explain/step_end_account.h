// The end of a step as a list that sums to it: the time from the last pass of any rank to the step's end.
#pragma once

#include <string>
#include <vector>

#include "evaluate/evaluation.h"
#include "words/duration_text.h"

namespace spillway {

// Seconds of the first draw, by the longest path.
struct StepEndAccount {
  Seconds whole;     // from the last pass of any rank to the end of the step
  Seconds reducing;  // of it, before the parts begin: reductions that nothing hides
  StepEnd parts;     // whole = reducing + parts.total()
};

// Contract: a framework states how the step ends (DrawResult::step_end).
StepEndAccount step_end_account(const ScheduleResult& schedule);

// Returns a table of the parts, with what hides beside passes; empty if no framework states how a step ends.
std::string step_end_table(const ScheduleResult& schedule, TimeUnit unit);

}  // namespace spillway
