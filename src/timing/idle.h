// Time in which nothing runs. Private to src/timing.
#pragma once

#include <vector>

#include "base/quantity.h"

namespace spillway {

struct TimeSpan {
  Seconds start;
  Seconds end;
};

// How much of [0, until) none of the spans covers: the sum of the gaps, so never negative. They may overlap,
// lie in any order, and reach beyond `until`.
Seconds idle_time(std::vector<TimeSpan> spans, Seconds until);

}  // namespace spillway
