// Idea: gaps between failures are independent, and each secures training that depends on it alone. So the
// goodput is a ratio of two means over gaps, and its error is that of a ratio (the regenerative method;
// Crane and Iglehart 1975).
// Example: a gap of 10 h, a restart of 1 h, intervals of 4 h that stall 15 min: 2 intervals, 8 h of 10.
// Cost: constant for each gap.
// Test: tests/goodput/goodput_test.cpp walks the same gaps second by second of what the run does.
#include "goodput/simulated_run.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "workload/random_stream.h"

namespace spillway {

std::vector<Seconds> failure_gaps(Seconds mean, std::size_t count, std::uint64_t seed) {
  RandomStream random({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  std::vector<Seconds> gaps;
  for (std::size_t i = 0; i < count; ++i) gaps.push_back(mean * -std::log1p(-random.uniform()));
  return gaps;
}

Seconds secured_in(Seconds gap, const FailingRun& run, Seconds interval) {
  const Seconds training = gap - run.restart - run.lag;
  if (training < Seconds()) return {};
  return interval * std::floor(training / (interval + run.stall));
}

SimulatedGoodput simulated_goodput(const FailingRun& run, Seconds interval,
                                   const std::vector<Seconds>& gaps) {
  ensure(gaps.size() > 1, "a deviation needs two failures");
  double trained = 0, passed = 0;
  for (const Seconds gap : gaps) {
    trained += secured_in(gap, run, interval).value();
    passed += gap.value();
  }
  const double mean = trained / passed, count = static_cast<double>(gaps.size());
  double squares = 0;
  for (const Seconds gap : gaps) {
    const double off = secured_in(gap, run, interval).value() - mean * gap.value();
    squares += off * off;
  }
  return {mean, std::sqrt(squares / (count - 1) / count) / (passed / count)};
}

SimulatedBest simulated_best(const FailingRun& run, Seconds step, std::uint64_t around, std::uint64_t least,
                             const std::vector<Seconds>& gaps) {
  const auto tried = [&](std::uint64_t steps) {
    return SimulatedBest{steps, simulated_goodput(run, step * static_cast<double>(steps), gaps)};
  };
  SimulatedBest best = tried(around);
  for (int eighth = -16; eighth <= 16; ++eighth) {
    const double steps = std::round(static_cast<double>(around) * std::exp2(eighth / 8.0));
    const SimulatedBest other = tried(std::max(least, static_cast<std::uint64_t>(steps)));
    if (other.goodput.mean > best.goodput.mean) best = other;
  }
  return best;
}

}  // namespace spillway
