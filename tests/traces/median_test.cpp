// Both medians against a sorted list.
#include "traces/files/median.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "support/property.h"

namespace spillway {
namespace {

RC_GTEST_PROP(Median, IsTheMiddleOfASortedList, (const std::vector<std::int16_t>& integers)) {
  RC_PRE(!integers.empty());
  const std::vector<double> values(integers.begin(), integers.end());
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t upper = sorted.size() / 2, lower = (sorted.size() - 1) / 2;
  RC_ASSERT(upper_median(values) == sorted[upper]);
  RC_ASSERT(median(values) == (sorted[lower] + sorted[upper]) / 2);
}

}  // namespace
}  // namespace spillway
