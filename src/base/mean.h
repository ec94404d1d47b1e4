// The mean of figures, the same in whatever order they come.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "base/error.h"

namespace spillway {

// Do they differ at all?
inline bool varies(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end();
}

// Of equal ones that value: the sum of n of them over n may round. Contract: at least one.
inline double mean_of(std::vector<double> values) {
  ensure(!values.empty(), "a mean is taken over at least one value");
  if (!varies(values)) return values.front();
  std::sort(values.begin(), values.end());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace spillway
