#include "cost/network/routing_skew.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace spillway {
namespace {

double below(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

}  // namespace

// The mean of a variate is the integral of P(x < X) over x > 0 minus that of P(X < -x). Midpoints are exact
// to ten digits here, since the integrand is smooth and vanishes at the end.
double expected_greatest(std::uint32_t count) {
  ensure(count > 0, "expected_greatest: nothing to choose from");
  constexpr double kEnd = 9, kStep = 1.0 / 64;
  double sum = 0;
  for (double x = kStep / 2; x < kEnd; x += kStep)
    sum += 1 - std::pow(below(x), count) - std::pow(below(-x), count);
  return sum * kStep;
}

double busiest_over_mean(double spread, double experts, std::uint32_t devices) {
  const double of_expert = std::sqrt(std::expm1(spread * spread));
  const double of_device = of_expert / std::sqrt(experts / devices);
  return std::min(1.0 * devices, 1 + of_device * expected_greatest(devices));
}

}  // namespace spillway
