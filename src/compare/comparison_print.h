// What `spillway compare` prints.
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/condition.h"

namespace spillway {

// The answer: a sentence for each schedule, each on a line.
std::string verdict(const Comparison& comparison);

// For people, in lines of at most kTableColumns columns.
std::string comparison_text(const Comparison& comparison, const std::vector<ConditionOutcome>& conditions);

// spillway/comparison/1, see `spillway schema comparison`.
std::string comparison_json(const Comparison& comparison, const std::vector<ConditionOutcome>& conditions);

}  // namespace spillway
