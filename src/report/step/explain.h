// Where the step goes: `spillway explain`.
#pragma once

#include <ostream>
#include <string_view>

#include "evaluate/evaluation.h"

namespace spillway {

// All schedules' critical paths side by side, then the bubbles of `schedule` (every schedule where it is
// empty) by what the ranks wait for. The first draw, by the longest path. Contract: the evaluation ran the
// longest path alone, and has a schedule of that name.
void write_explanation(std::ostream& out, const Evaluation& evaluation, std::string_view schedule);

}  // namespace spillway
