// How many of a number of independent trials may succeed.
#pragma once

#include <cmath>
#include <cstddef>

#include "base/error.h"

namespace spillway {

// A range of counts; both ends belong to it.
struct CountBand {
  std::size_t least;
  std::size_t most;

  bool holds(std::size_t count) const { return least <= count && count <= most; }
  friend bool operator==(const CountBand&, const CountBand&) = default;
};

// Returns P(X = successes), where X is binomial. Contract: successes <= trials, 0 < chance < 1.
inline double binomial_probability(std::size_t successes, std::size_t trials, double chance) {
  const auto n = static_cast<double>(trials), k = static_cast<double>(successes);
  const double choices = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  return std::exp(choices + k * std::log(chance) + (n - k) * std::log1p(-chance));
}

// Returns the smallest count whose cumulative probability is at least `share`.
inline std::size_t binomial_quantile(double share, std::size_t trials, double chance) {
  double cumulative = 0;
  for (std::size_t count = 0; count < trials; ++count) {
    cumulative += binomial_probability(count, trials, chance);
    if (cumulative >= share) return count;
  }
  return trials;
}

// Returns the central band of a binomial: at most (1 - share) / 2 of the probability is below it, and at most
// as much above. Contract: 0 < chance < 1, 0 < share < 1.
inline CountBand central_band(std::size_t trials, double chance, double share) {
  ensure(chance > 0 && chance < 1 && share > 0 && share < 1, "a chance and a share lie between 0 and 1");
  const double outside = (1 - share) / 2;
  return {binomial_quantile(outside, trials, chance), binomial_quantile(1 - outside, trials, chance)};
}

}  // namespace spillway
