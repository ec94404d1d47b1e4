// A point that cannot be is a result, not the end of those that compute it.
#pragma once

#include <functional>

#include "evaluate/point.h"

namespace spillway {

// What `compute` returns, or why it cannot: what it throws of InputError, Infeasible and want of memory.
// Equal points are refused in the same words, whatever file they are of.
PointOutcome outcome_or_refusal(const std::function<PointOutcome()>& compute);

}  // namespace spillway
