#include "calibrate/relative_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/property.h"

namespace spillway {
namespace {

// Rows {1, x} of a line a + b x.
struct Line {
  std::vector<double> terms, values;

  void add(double x, double y) {
    terms.insert(terms.end(), {1.0, x});
    values.push_back(y);
  }
  auto fit() const { return relative_fit(terms, 2, values); }
};

// The ratio of n observations that are 1 + d and 1 - d in turn has a standard error of d / sqrt(n - 1).
TEST(RatioOfSums, ItsIntervalIsStudentsT) {
  const std::vector<std::pair<std::size_t, double>> table = {
      {2, 12.706}, {4, 3.182}, {10, 2.262}, {100, 1.984}};
  for (const auto& [n, quantile] : table) {
    std::vector<double> numerators;
    for (std::size_t i = 0; i < n; ++i) numerators.push_back(i % 2 == 0 ? 1.01 : 0.99);
    const auto ratio = ratio_of_sums(numerators, std::vector<double>(n, 1.0));
    ASSERT_TRUE(ratio);
    const double standard_error = 0.01 / std::sqrt(static_cast<double>(n - 1));
    EXPECT_NEAR((ratio->high - ratio->value) / standard_error, quantile, 5e-4 * quantile) << n;
    EXPECT_NEAR(ratio->value - ratio->low, ratio->high - ratio->value, 1e-12) << n;
  }
}

RC_GTEST_PROP(RelativeFit, ALineIsFoundWhateverItsUnits, ()) {
  const double a = *rc::gen::inRange(1, 1000) * 1e-6, b = *rc::gen::inRange(1, 1000) * 1e-12;
  Line line;
  for (double x = 1; x < 1e9; x *= 7) line.add(x, a + b * x);
  const auto fit = line.fit();
  RC_ASSERT(fit.has_value());
  RC_ASSERT(std::abs(fit->front().value / a - 1) < 1e-6);
  RC_ASSERT(std::abs(fit->back().value / b - 1) < 1e-6);
}

TEST(RelativeFit, ShortTimesWeighAsMuchAsLongOnes) {
  // Each end is 1 % off; an absolute fit would follow the long one alone.
  const auto fit = relative_fit(std::vector<double>{1, 1000}, 1, std::vector<double>{1.01, 990});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->front().value, 1.0, 1e-3);
}

TEST(RelativeFit, IntervalsHoldTheTruthNineteenTimesOfTwenty) {
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<double> noise(-0.1, 0.1);
  int held = 0;
  for (int draw = 0; draw < 1000; ++draw) {
    Line line;
    for (int i = 1; i <= 40; ++i) line.add(i, (5.0 + 0.5 * i) / (1 + noise(generator)));
    const Estimated a = line.fit()->front();
    held += a.low <= 5 && 5 <= a.high;
  }
  EXPECT_NEAR(held, 950, 30);
}

TEST(RelativeFit, WhatDoesNotDetermineTheCoefficientsGivesNone) {
  Line two_points, one_size;
  two_points.add(1, 2);
  two_points.add(2, 3);
  for (int i = 0; i < 5; ++i) one_size.add(8, 2 + i);
  EXPECT_FALSE(two_points.fit());
  EXPECT_FALSE(one_size.fit());
}

TEST(RatioOfSums, LargeObservationsCountForWhatTheyAre) {
  const auto ratio = ratio_of_sums(std::vector<double>{10, 300}, std::vector<double>{10, 100});
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->value, 310.0 / 110);
  EXPECT_LT(ratio->low, 1);
  EXPECT_GT(ratio->high, 3);
  EXPECT_FALSE(ratio_of_sums(std::vector<double>{1}, std::vector<double>{1}));
}

}  // namespace
}  // namespace spillway
