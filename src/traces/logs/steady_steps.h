// The steps of a training job as measured, from whatever source: warm-up told apart, the steady steps summed
// up, and whether they drift.
//
// Warm-up: the steps before the first one that takes at most 1.1 times the median of the later half of the
// steps; at most half of the steps. Steps that set themselves apart (another batch, a restart) are left out
// by who reads them. Drift: the medians of the first and the last third of the steady steps differ by more
// than 1 % and by more than three standard errors of such a difference. Source of the error of a
// median: 1.2533 sigma / sqrt(n), with sigma from the median absolute deviation (1.4826 MAD).
//
// Example: 9.1 5.4 5.3 5.5 5.4 s: one step of warm-up, steady mean 5.4 s.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace spillway {

inline constexpr double kWarmUpAbove = 1.1;
inline constexpr double kLeastDrift = 0.01;
inline constexpr double kSlowRank = 0.05;  // a rank this much above the median is slow

struct SteadySteps {
  std::size_t warm_up;  // steps at the beginning that count nowhere
  std::size_t steps;    // steady ones
  Seconds mean;
  Seconds median;
  Seconds least;
  Seconds most;
  double cv;                              // standard deviation over mean
  std::optional<Seconds> mean_ci95 = {};  // half of the 95 % interval of the mean; empty for one step
  std::optional<double> drift = {};  // last third over first third, minus 1; empty for fewer than nine steps
  bool drifts = false;               // the drift is above what the steps vary by
};

// Contract: there is a step, and each takes some time.
SteadySteps steady_steps(std::span<const Seconds> steps);

// Returns the number of steps of warm-up.
std::size_t warm_up_steps(std::span<const Seconds> steps);

// Returns the indices of the values that are more than kSlowRank above the median of all. Empty for fewer
// than three values, of which none is typical.
std::vector<std::size_t> slow_ones(std::span<const Seconds> values);

}  // namespace spillway
