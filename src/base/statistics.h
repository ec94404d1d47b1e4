// Means and percentiles of figures. A mean does not depend on their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "base/error.h"

namespace spillway {

// Returns true if the values are not all equal.
inline bool varies(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end();
}

// The mean of a list equals the mean of any number of copies of it, although sums of different length round
// differently: if every value occurs a multiple of n times, only every n-th is added. Contract: at least one.
inline double mean_of(std::vector<double> values) {
  ensure(!values.empty(), "a mean is taken over at least one value");
  std::sort(values.begin(), values.end());
  std::size_t copies = 0;
  for (auto one = values.begin(); one != values.end();) {
    const auto next = std::upper_bound(one, values.end(), *one);
    copies = std::gcd(copies, static_cast<std::size_t>(next - one));
    one = next;
  }
  const std::size_t count = values.size() / copies;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i * copies];
  return sum / static_cast<double>(count);
}

// The smallest value such that at least `percent` % of the values are at or below it (nearest rank).
// Contract: `ascending` is sorted and not empty; percent is from 1 to 100.
template <class Value>
Value percentile(const std::vector<Value>& ascending, std::size_t percent) {
  ensure(!ascending.empty() && percent >= 1 && percent <= 100, "a percentile of something");
  return ascending[(percent * ascending.size() + 99) / 100 - 1];
}

}  // namespace spillway
