// Time that intervals cover. Private to src/measured.
#pragma once

#include <vector>

#include "measured/pipeline.h"

namespace spillway {

// Ascending and apart: what at least one of them covers.
std::vector<Interval> union_of(std::vector<Interval> intervals);

// How long such a union is, and how long inside `window`.
Seconds covered(const std::vector<Interval>& united);
Seconds covered(const std::vector<Interval>& united, const Interval& window);

}  // namespace spillway
