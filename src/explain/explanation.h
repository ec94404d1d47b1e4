// Where the step goes, and what would help: `spillway explain`.
#pragma once

#include <string>
#include <vector>

#include "evaluate/evaluation.h"
#include "explain/would_help.h"

namespace spillway {

struct ExplainedSchedule {
  const ScheduleResult* schedule;
  std::vector<TriedChange> would_help;
};

// The first draw, by the longest path; what would help over all draws. Contract: the evaluation ran the
// longest path alone.
struct Explanation {
  const Evaluation& evaluation;
  std::vector<ExplainedSchedule> schedules;  // that were asked for, in the evaluation's order
};

// What the busiest rank computes: no order of the same placement ends before.
Seconds least_makespan(const ScheduleResult& schedule);

// All schedules' critical paths side by side, then each explained schedule's bubbles by what the ranks wait
// for, memory, evidence and what would help.
std::string explanation_text(const Explanation& explanation);

// spillway/explanation/1, see `spillway schema explanation`.
std::string explanation_json(const Explanation& explanation);

}  // namespace spillway
