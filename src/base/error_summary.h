// Statistics of prediction errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/error.h"

namespace spillway {

// Statistics of signed relative errors.
struct ErrorSummary {
  std::size_t count;
  double mean_absolute;
  double most_absolute;
  double bias;  // the mean
};

// Contract: at least one error.
inline ErrorSummary error_summary(const std::vector<double>& errors) {
  ensure(!errors.empty(), "a summary is of some errors");
  ErrorSummary sum{errors.size(), 0, 0, 0};
  for (const double error : errors) {
    sum.mean_absolute += std::abs(error);
    sum.most_absolute = std::max(sum.most_absolute, std::abs(error));
    sum.bias += error;
  }
  const auto count = static_cast<double>(errors.size());
  sum.mean_absolute /= count;
  sum.bias /= count;
  return sum;
}

}  // namespace spillway
