// Why a layout is not plan 1, in words. Private to src/ask.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ask/explained_layout.h"

namespace spillway {

// The answer: what became of the layout, and why plan 1 stands before it. `plans` is the number of evaluated
// plans.
std::string why_text(const AskedLayout& asked, const ExplainedLayout& explained, std::size_t plans);

std::string rules_text(const std::vector<BrokenRule>& rules);
// "0.5 % dearer than the best", by the objective.
std::string distance_text(const PlanJob& job, double share, std::string_view than = "the best");

}  // namespace spillway
