// Finds the share of the peak with which a roofline comes closest to measured times. Private to
// src/calibrate.
//
//   time = max(W / (F e), D / B)          e is sought; F and B, the rate that memory reaches, are known
//
// Idea: let a = 1 / (F e). The sum of (max(a W, D / B) / t - 1)^2 is a parabola as long as no operator
// changes between computing and moving bytes. It changes at a = D / (B W). So sort by that value, keep sums
// over the operators that compute, clamp each parabola's minimum to its own piece, and take the best. This is
// the global minimum, although the sum need not be convex.
// Cost: O(n log n).
// Tests: tests/calibrate/roofline_fit_test.cpp, against a search along e.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/quantity.h"
#include "calibrate/relative_fit.h"
#include "cost/operators/operator_work.h"

namespace spillway {

struct TimedWork {
  OperatorWork work;
  Seconds time;  // above 0
};

struct RooflineFit {
  Estimated efficiency;       // of the peak; above 1 if the peak is not the device's
  std::size_t compute_bound;  // operators in the fit: those for which computing takes longer
};

Seconds roofline_time(const OperatorWork& work, FlopsPerSecond achieved, BytesPerSecond memory);

// Returns nothing if fewer than three operators would be bound by computing even at the peak. For the others
// it is unknown whether slow memory or slow computing makes them slow.
std::optional<RooflineFit> fit_roofline(std::span<const TimedWork> measured, FlopsPerSecond peak,
                                        BytesPerSecond memory);

}  // namespace spillway
