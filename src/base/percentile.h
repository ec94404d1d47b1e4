// Percentiles of values that are there.
#pragma once

#include <cstddef>
#include <vector>

#include "base/error.h"

namespace spillway {

// The smallest value with at least that many hundredths of them at or below it. Contract: `ascending`, not
// empty; percent from 1 to 100.
template <class Value>
Value percentile(const std::vector<Value>& ascending, std::size_t percent) {
  ensure(!ascending.empty() && percent >= 1 && percent <= 100, "a percentile of something");
  return ascending[(percent * ascending.size() + 99) / 100 - 1];
}

}  // namespace spillway
