// Where the step goes, and what would help: `spillway explain`.
#pragma once

#include <span>
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

// The rank that computes longest, of any replica: no order of the same placement ends before it has. The
// first of several.
const RankFigures& busiest_rank(const ScheduleResult& schedule);

// By rank, of the busiest rank's replica, so that its row has the time that the bound is about.
std::span<const BubbleCauses> explained_bubbles(const ScheduleResult& schedule);

// The evaluation's critical paths side by side, then each explained schedule's bubbles by what the ranks wait
// for, memory, evidence and what would help.
std::string explanation_text(const Explanation& explanation);

// spillway/explanation/1, see `spillway schema explanation`.
std::string explanation_json(const Explanation& explanation);

}  // namespace spillway
