// Percentiles by nearest rank.
#pragma once

#include <cstddef>
#include <vector>

#include "base/error.h"

namespace spillway {

// The smallest value such that at least `percent` % of the values are at or below it. Contract: `ascending`
// is sorted and not empty; percent is from 1 to 100.
template <class Value>
Value percentile(const std::vector<Value>& ascending, std::size_t percent) {
  ensure(!ascending.empty() && percent >= 1 && percent <= 100, "a percentile of something");
  return ascending[(percent * ascending.size() + 99) / 100 - 1];
}

}  // namespace spillway
