// A figure over Monte Carlo draws.
#pragma once

#include <vector>

namespace spillway {

// Percentile q is the smallest value with at least a share q of the draws at or below it. ci95 is half the
// width of the 95 % confidence interval of the mean, Student's t x s / sqrt(n).
struct Spread {
  double mean;
  double p5;
  double p50;
  double p95;
  double p99;
  double max;
  double ci95;
};

// Contract: at least one value. If all values are equal, the mean is exactly that value and ci95 is zero.
Spread spread(std::vector<double> values);

}  // namespace spillway
