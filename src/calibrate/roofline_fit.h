// The share of the peak that a roofline must be given to come closest to measured times. Private to
// src/calibrate.
//
//   time = max(W / (F e), D / B)          e is sought; F and B, what memory reaches, are known
//
// Idea. With a = 1 / (F e) the sum of (max(a W, D / B) / t - 1)^2 is a parabola wherever no operator changes
// between computing and moving bytes, which happens at a = D / (B W). So sort by that, keep sums over those
// that compute, and take the best of the parabolas' bottoms, each kept inside its own piece: the global
// minimum, although the sum need not be convex.
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
  Estimated efficiency;       // of the peak; above 1 where the peak is not the device's
  std::size_t compute_bound;  // operators that it was fitted to: those for which computing takes longer
};

Seconds roofline_time(const OperatorWork& work, FlopsPerSecond achieved, BytesPerSecond memory);

// None where fewer than three operators would be bound by computing even at the peak: of the others nobody
// knows whether slow memory or slow computing makes them slow.
std::optional<RooflineFit> fit_roofline(std::span<const TimedWork> measured, FlopsPerSecond peak,
                                        BytesPerSecond memory);

}  // namespace spillway
