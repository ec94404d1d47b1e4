// The middle of some values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/error.h"

namespace spillway {

// One of the values: of an even number of them the larger of the two in the middle. These may be far apart,
// 0.49 and 0.73 ms among the transfers of the straggler study's ST, and nothing took their mean. Contract:
// there is one.
template <class Value>
Value upper_median(std::vector<Value> values) {
  ensure(!values.empty(), "a median is of something");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Of an even number of values the mean of the two in the middle. Contract: there is one.
template <class Value>
Value median(std::vector<Value> values) {
  ensure(!values.empty(), "a median is of something");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace spillway
