// The engine that most tests of whole evaluations run: the longest path alone.
#pragma once

#include "evaluate/evaluate.h"

namespace spillway::testing {

inline constexpr Engines kLongestPath{.run = {Engine::LongestPath}};

}  // namespace spillway::testing
