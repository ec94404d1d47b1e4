// Intervals of time, and the time that they cover.
#pragma once

#include <vector>

#include "base/quantity.h"

namespace spillway {

struct Interval {
  Seconds start;
  Seconds end;

  Seconds length() const { return end - start; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Ascending and apart: what at least one of them covers.
std::vector<Interval> union_of(std::vector<Interval> intervals);

// How long such a union is, and how long inside `window`.
Seconds covered(const std::vector<Interval>& united);
Seconds covered(const std::vector<Interval>& united, const Interval& window);

}  // namespace spillway
