#include "traces/logs/steady_steps.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/statistics.h"
#include "base/student_t.h"
#include "traces/files/median.h"

namespace spillway {
namespace {

std::vector<double> values_of(std::span<const Seconds> steps) {
  std::vector<double> values;
  for (const Seconds step : steps) values.push_back(step.value());
  return values;
}

double deviation(const std::vector<double>& values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// The standard error of a median of `count` values that vary as these do.
double error_of_median(const std::vector<double>& values, std::size_t count) {
  const double middle = median(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  constexpr double kSigmaOfMad = 1.4826, kMedianOverMean = 1.2533;
  return kMedianOverMean * kSigmaOfMad * median(distances) / std::sqrt(static_cast<double>(count));
}

void set_drift(const std::vector<double>& values, SteadySteps& steady) {
  constexpr std::size_t kFewest = 9;
  if (values.size() < kFewest) return;
  const auto third = static_cast<std::ptrdiff_t>(values.size() / 3);
  const std::vector<double> first(values.begin(), values.begin() + third);
  const std::vector<double> last(values.end() - third, values.end());
  const double before = median(first), after = median(last);
  steady.drift = after / before - 1;
  constexpr double kStandardErrors = 3;
  const double error = std::hypot(error_of_median(first, first.size()), error_of_median(last, last.size()));
  steady.drifts = std::abs(*steady.drift) > kLeastDrift && std::abs(after - before) > kStandardErrors * error;
}

}  // namespace

std::size_t warm_up_steps(std::span<const Seconds> steps) {
  ensure(!steps.empty(), "warm-up is of some steps");
  const std::size_t half = steps.size() / 2;
  const double typical = median(values_of(steps.subspan(half)));
  std::size_t first = 0;
  while (first < half && steps[first].value() > kWarmUpAbove * typical) ++first;
  return first;
}

SteadySteps steady_steps(std::span<const Seconds> steps) {
  const std::size_t warm_up = warm_up_steps(steps);
  const std::vector<double> values = values_of(steps.subspan(warm_up));
  const double mean = mean_of(values);
  const double sigma = deviation(values, mean);
  const auto [least, most] = std::ranges::minmax(values);
  const auto count = static_cast<double>(values.size());
  SteadySteps steady{warm_up,        values.size(), Seconds(mean), Seconds(median(values)),
                     Seconds(least), Seconds(most), sigma / mean};
  constexpr double kUpperOf95 = 0.975;
  if (values.size() > 1)
    steady.mean_ci95 = Seconds(student_t_quantile(kUpperOf95, count - 1) * sigma / std::sqrt(count));
  set_drift(values, steady);
  return steady;
}

std::vector<std::size_t> slow_ones(std::span<const Seconds> values) {
  constexpr std::size_t kFewest = 3;
  std::vector<std::size_t> slow;
  if (values.size() < kFewest) return slow;
  const double typical = median(values_of(values));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].value() > (1 + kSlowRank) * typical) slow.push_back(i);
  return slow;
}

}  // namespace spillway
