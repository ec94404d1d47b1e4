// Two medians: one is always one of the values, the other may be a mean.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/error.h"

namespace spillway {

// Returns one of the values. For an even number of values it is the larger of the two in the middle. These
// may be far apart (0.49 and 0.73 ms among the transfers of the straggler study's ST), and no transfer took
// their mean. Contract: there is a value.
template <class Value>
Value upper_median(std::vector<Value> values) {
  ensure(!values.empty(), "a median is of something");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// For an even number of values, returns the mean of the two in the middle. Contract: there is a value.
template <class Value>
Value median(std::vector<Value> values) {
  ensure(!values.empty(), "a median is of something");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace spillway
