// Conditions under which a comparison fails: `--fail-if 'makespan_s > 2 %'`.
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.h"

namespace spillway {

// Is B's figure more than so many percent above A's, or, with "<", less than so many (of -2: fallen by more
// than 2 %)?
struct Condition {
  std::string text;    // as it was given
  std::string figure;  // of a schedule in spillway/report/2
  bool above;
  double percent;
};

// "FIGURE > N %" or "FIGURE < N %". Throws InputError, of an unknown figure with the nearest one.
Condition condition_from(const std::string& text);

struct ConditionOutcome {
  Condition condition;
  std::string schedule;  // in A
  ComparedFigure figure;
  bool holds;
};

// Each condition on each schedule that has its figure on both sides. Throws InputError where none has: what
// cannot be checked is no success.
std::vector<ConditionOutcome> outcomes_of(const std::vector<Condition>& conditions,
                                          const Comparison& comparison);

bool any_holds(const std::vector<ConditionOutcome>& outcomes);

}  // namespace spillway
