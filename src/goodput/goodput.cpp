// Idea: the gap between two failures is exponential with mean M. Of a gap x, the restart takes R. Then the
// run secures its j-th interval at R + j (interval + stall) + lag. So the mean number of intervals that a gap
// secures is the sum over j of the chance that x is longer:
//   sum e^-(R + lag + j L) / M  =  e^-(R + lag) / M  /  (e^(L / M) - 1),   L = interval + stall,
// and the goodput is that number times interval / M. Without a lag this is Daly's complete cost function.
// Example: M = 24 h, R = 10 min, stall = 5 min: the best interval is 117 min (Daly 2006, figure 3).
// Cost: constant; the exact interval takes 60 halvings.
// Test: tests/goodput/goodput_test.cpp holds it against a run that is walked event by event.
#include "goodput/goodput.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace spillway {

double goodput(const FailingRun& run, Seconds interval) {
  ensure(interval > Seconds(), "training goes on between checkpoints");
  const Seconds mean = run.between_failures;
  const double secured =
      std::exp(-((run.restart + run.lag) / mean)) / std::expm1((interval + run.stall) / mean);
  return secured * (interval / mean);
}

Seconds young_interval(const FailingRun& run) {
  return Seconds(std::sqrt(2 * run.stall.value() * run.between_failures.value()));
}

// Daly's formula holds while the stall is less than twice the mean time between failures.
Seconds daly_interval(const FailingRun& run) {
  const double x = run.stall / run.between_failures / 2;
  if (x >= 1) return run.between_failures;
  return young_interval(run) * (1 + std::sqrt(x) / 3 + x / 9) - run.stall;
}

// The derivative of the goodput is 0 where y + log(1 - y) = -stall / M, with y = interval / M below 1. The
// left side falls with y.
Seconds best_interval(const FailingRun& run) {
  const double wanted = -(run.stall / run.between_failures);
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double y = (low + high) / 2;
    (y + std::log1p(-y) > wanted ? low : high) = y;
  }
  return run.between_failures * low;
}

std::uint64_t best_steps(const FailingRun& run, Seconds step, std::uint64_t least) {
  const auto below = static_cast<std::uint64_t>(std::min(best_interval(run) / step, 1e15));
  const std::uint64_t few = std::max(below, least), many = std::max(below + 1, least);
  const auto at = [&](std::uint64_t steps) { return goodput(run, step * static_cast<double>(steps)); };
  return at(many) > at(few) ? many : few;
}

}  // namespace spillway
