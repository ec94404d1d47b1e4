#include "calibrate/alpha_beta.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "support/property.h"

namespace spillway {
namespace {

// Returns times of alpha + n / beta at `sizes` sizes that double from `first`.
SizedTimes line(double alpha, double beta, int sizes, double first = 1e3) {
  SizedTimes points;
  for (int i = 0; i < sizes; ++i) {
    const double bytes = first * std::pow(2, i);
    points.emplace_back(Bytes(bytes), Seconds(alpha + bytes / beta));
  }
  return points;
}

RC_GTEST_PROP(AlphaBeta, AnExactLineIsFound, ()) {
  const double alpha = 1e-6 * *rc::gen::inRange(1, 100), beta = 1e9 * *rc::gen::inRange(1, 400);
  const AlphaBeta fit = fit_alpha_beta(line(alpha, beta, 20));
  RC_ASSERT(std::abs(fit.latency.value / alpha - 1) < 1e-6);
  RC_ASSERT(std::abs(fit.per_byte.value * beta - 1) < 1e-6);
  RC_ASSERT(fit.latency.unknown.empty() && fit.per_byte.unknown.empty());
}

// The fit has the least error: no small step in either term lowers it.
RC_GTEST_PROP(AlphaBeta, NoNeighbourIsBetter, ()) {
  SizedTimes points = line(5e-6, 50e9, 12);
  for (auto& [bytes, time] : points) time = time * (1 + 0.01 * *rc::gen::inRange(-20, 20));
  const AlphaBeta fit = fit_alpha_beta(points);
  const auto error = [&](double alpha, double per_byte) {
    double sum = 0;
    for (const auto& [bytes, time] : points)
      sum += std::pow((alpha + per_byte * bytes.value()) / time.value() - 1, 2);
    return sum;
  };
  const double least = error(fit.latency.value, fit.per_byte.value);
  for (const double step : {0.999, 1.001}) {
    RC_ASSERT(error(fit.latency.value * step, fit.per_byte.value) >= least);
    RC_ASSERT(error(fit.latency.value, fit.per_byte.value * step) >= least);
  }
}

// Nineteen of twenty intervals hold the true value.
TEST(AlphaBeta, IntervalsHoldTheTruthAsOftenAsTheySay) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.05);
  int held = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    SizedTimes points = line(8e-6, 100e9, 12);
    for (auto& [bytes, time] : points) time = time * (1 + noise(random));
    const FittedTerm latency = fit_alpha_beta(points).latency;
    held += latency.low <= 8e-6 && 8e-6 <= latency.high;
  }
  EXPECT_GT(held, 930);
  EXPECT_LT(held, 970);
}

TEST(AlphaBeta, WhatTheSizesDoNotTellIsUnknown) {
  EXPECT_EQ(fit_alpha_beta(line(1e-6, 1e9, 1)).latency.unknown, "one size only");
  EXPECT_EQ(fit_alpha_beta(line(1e-6, 1e9, 2)).per_byte.unknown, "fewer than three sizes");
  const AlphaBeta small = fit_alpha_beta(line(1e-3, 100e9, 8));
  EXPECT_EQ(small.per_byte.unknown, "every size is bound by latency");
  EXPECT_EQ(small.latency.unknown, "");
  const AlphaBeta large = fit_alpha_beta(line(1e-6, 1e9, 8, 1e8));
  EXPECT_EQ(large.latency.unknown, "every size is bound by bandwidth");
  EXPECT_NEAR(large.per_byte.value, 1e-9, 1e-12);
}

TEST(AlphaBeta, LatencyIsNeverNegative) {
  SizedTimes points = line(1e-6, 1e9, 8, 1e7);
  points.front().second = points.front().second / 2;
  const AlphaBeta fit = fit_alpha_beta(points);
  EXPECT_EQ(fit.latency.value, 0);
  EXPECT_GT(fit.per_byte.value, 0);
  EXPECT_NE(fit.latency.unknown, "");
}

TEST(FitCurve, ALineNeedsNoKnotBetween) {
  const SizedTimes curve = fit_curve(line(5e-6, 50e9, 20), 12);
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_NEAR(curve.front().second.value(), 5e-6 + 1e3 / 50e9, 1e-12);
}

// Times are latency alone up to 64 kB, then three times that latency plus a bandwidth term.
TEST(FitCurve, AChangeOfProtocolIsTwoKnots) {
  SizedTimes points = line(5e-6, 1e15, 7);
  for (const auto& point : line(15e-6, 20e9, 12, 128e3)) points.push_back(point);
  const SizedTimes curve = fit_curve(points, 12);
  ASSERT_EQ(curve.size(), 4u);
  EXPECT_EQ(curve[1].first, Bytes(64e3));
  EXPECT_EQ(curve[2].first, Bytes(128e3));
}

TEST(FitCurve, NoiseMakesNoKnots) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.05);
  int knots = 0;
  for (int trial = 0; trial < 100; ++trial) {
    SizedTimes points;
    for (int i = 1; i <= 200; ++i)
      points.emplace_back(Bytes(1e4 * i), Seconds((1e-5 + 1e4 * i / 50e9) * (1 + noise(random))));
    knots += static_cast<int>(fit_curve(points, 12).size()) - 2;
  }
  EXPECT_LT(knots, 20);
}

TEST(FitCurve, FewPointsStayAsTheyAre) {
  const SizedTimes two = {{Bytes(1), Seconds(2)}, {Bytes(3), Seconds(1)}};
  EXPECT_EQ(fit_curve(two, 12), two);
  EXPECT_EQ(fit_curve({two[0]}, 12), SizedTimes{two[0]});
  EXPECT_THROW(fit_curve({}, 12), ContractBreach);
}

}  // namespace
}  // namespace spillway
