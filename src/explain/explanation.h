// The result of `spillway explain`: the parts of a step's time, and the changes that would shorten it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/evaluation.h"
#include "explain/gap.h"
#include "explain/would_help.h"

namespace spillway {

struct ExplainedSchedule {
  const ScheduleResult* schedule;
  std::vector<TriedChange> would_help;
  std::optional<GapAccount> gap = {};  // to a measured step, if one is stated
};

// The parts of the step are of the first draw, by the longest path. Changes are judged over all draws.
// Contract: the evaluation ran the longest path alone.
struct Explanation {
  const Evaluation& evaluation;
  std::vector<ExplainedSchedule> schedules;  // the requested ones, in the evaluation's order
};

// Returns the rank of any replica that computes longest, or the first of several. No order of the same
// placement takes less time than this rank's computing.
const RankFigures& busiest_rank(const ScheduleResult& schedule);

// Returns the bubbles by rank in the busiest rank's replica. So the table has the row to which the bound
// refers.
std::span<const BubbleCauses> explained_bubbles(const ScheduleResult& schedule);

// Returns the critical paths of the evaluation side by side. Then it has each explained schedule's bubbles by
// cause, memory, evidence, and the changes that would help.
std::string explanation_text(const Explanation& explanation);

// Returns a document spillway/explanation/1 (`spillway schema explanation`).
std::string explanation_json(const Explanation& explanation);

}  // namespace spillway
