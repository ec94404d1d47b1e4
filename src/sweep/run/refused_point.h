// An impossible point is an outcome. It does not stop the computation of other points.
#pragma once

#include <functional>

#include "evaluate/point.h"

namespace spillway {

// Returns what `compute` returns. If it throws InputError, Infeasible or std::bad_alloc, the outcome is a
// refusal with the reason. The reason does not name the file, so equal points have equal refusals.
PointOutcome outcome_or_refusal(const std::function<PointOutcome()>& compute);

}  // namespace spillway
