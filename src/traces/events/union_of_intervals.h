// Intervals of time, and the total time that they cover.
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

// Returns the union as disjoint intervals in ascending order.
std::vector<Interval> union_of(std::vector<Interval> intervals);

// The length of such a union, in total and inside `window`.
Seconds covered(const std::vector<Interval>& united);
Seconds covered(const std::vector<Interval>& united, const Interval& window);

}  // namespace spillway
