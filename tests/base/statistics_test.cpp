#include "base/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "base/exact_sum.h"
#include "support/property.h"

namespace spillway {
namespace {

// Copies stand for replicas that are all alike, or for one that represents them.
RC_GTEST_PROP(Mean, OfCopiesOfAListIsThatOfTheList, (std::vector<double> values)) {
  RC_PRE(!values.empty());
  const auto copies = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(1, 12));
  std::vector<double> all;
  for (std::size_t i = 0; i < copies; ++i) all.insert(all.end(), values.begin(), values.end());
  std::shuffle(all.begin(), all.end(), std::mt19937(7));
  RC_ASSERT(mean_of(all) == mean_of(values));
}

RC_GTEST_PROP(ExactSum, OverItsTermsIsThatOfCopies, (std::vector<double> values)) {
  RC_PRE(!values.empty());
  const auto copies = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(1, 12));
  ExactSum once, often;
  for (const double value : values) {
    once.add(value);
    for (std::size_t i = 0; i < copies; ++i) often.add(value);
  }
  const auto count = static_cast<double>(values.size());
  RC_ASSERT(often.over(count * static_cast<double>(copies)) == once.over(count));
}

TEST(Mean, OfEqualOnesIsThatValue) {
  EXPECT_EQ(mean_of(std::vector<double>(10, 0.1)), 0.1);
  EXPECT_EQ(mean_of({3, 1, 1, 3}), 2);
  EXPECT_EQ(mean_of({1, 2, 2}), 5.0 / 3);
}

}  // namespace
}  // namespace spillway
