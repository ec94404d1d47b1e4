// Conditions under which a comparison fails: `--fail-if 'makespan_s > 2 %'`.
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.h"

namespace spillway {

// The condition holds if B's figure is more than `percent` above A's, or, with "<", less than `percent` above
// A's. So "< -2 %" holds if the figure falls by more than 2 %.
struct Condition {
  std::string text;    // as the user wrote it
  std::string figure;  // the key of a schedule in spillway/report/2
  bool above;          // true for ">", false for "<"
  double percent;
};

// Parses "FIGURE > N %" or "FIGURE < N %". Throws InputError. For an unknown figure, the error suggests the
// nearest one.
Condition condition_from(const std::string& text);

struct ConditionOutcome {
  Condition condition;
  std::string schedule;  // in A
  ComparedFigure figure;
  bool holds;
};

// Evaluates each condition on each schedule that has its figure on both sides. Throws InputError if there is
// no such schedule, because a condition that cannot be checked must not pass.
std::vector<ConditionOutcome> outcomes_of(const std::vector<Condition>& conditions,
                                          const Comparison& comparison);

bool any_holds(const std::vector<ConditionOutcome>& outcomes);

}  // namespace spillway
