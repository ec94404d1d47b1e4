// The output of `spillway compare`.
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/condition.h"

namespace spillway {

// Returns the answer: one sentence and one line for each schedule.
std::string verdict(const Comparison& comparison);

// Returns the comparison for people, in lines of at most kTableColumns columns.
std::string comparison_text(const Comparison& comparison, const std::vector<ConditionOutcome>& conditions);

// Returns a document spillway/comparison/1 (`spillway schema comparison`).
std::string comparison_json(const Comparison& comparison, const std::vector<ConditionOutcome>& conditions);

}  // namespace spillway
