#include "words/spread.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/error.h"
#include "base/statistics.h"
#include "base/student_t.h"

namespace spillway {
namespace {

double half_interval(const std::vector<double>& values, double mean) {
  if (values.size() < 2) return 0;
  double squares = 0;
  for (double value : values) squares += (value - mean) * (value - mean);
  const double n = static_cast<double>(values.size());
  const double t = student_t_quantile(0.975, n - 1);
  return t * std::sqrt(squares / (n - 1) / n);
}

}  // namespace

Spread spread(std::vector<double> values) {
  ensure(!values.empty(), "a spread is taken over at least one value");
  if (!varies(values)) {  // the mean of n equal values may round
    const double value = values.front();
    return {value, value, value, value, value, value, 0};
  }
  std::sort(values.begin(), values.end());
  const double mean = mean_of(values);
  return {mean,
          percentile(values, 5),
          percentile(values, 50),
          percentile(values, 95),
          percentile(values, 99),
          values.back(),
          half_interval(values, mean)};
}

}  // namespace spillway
