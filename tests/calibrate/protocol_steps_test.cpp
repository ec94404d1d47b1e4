// Steps between protocols: found where they are, not where a curve bends or scatters, and fitted piecewise.
#include "calibrate/protocol_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "calibrate/fit_messages.h"
#include "input/platform/platform_reader.h"
#include "support/property.h"

namespace spillway {
namespace {

// Times alpha + n / beta at first, first + 1 * each, ... bytes.
SizedTimes straight(double alpha, double beta, std::size_t sizes, double first, double each) {
  SizedTimes points;
  for (std::size_t i = 0; i < sizes; ++i) {
    const double bytes = first + each * static_cast<double>(i);
    points.emplace_back(Bytes(bytes), Seconds(alpha + bytes / beta));
  }
  return points;
}

SizedTimes in_a_row(SizedTimes first, const SizedTimes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// NVIDIA/nccl-tests between four H100 NVL on two nodes, 500 kB to 1.5 MB: LL up to 1 MB, then Simple. The
// form of a public log, with its times.
const SizedTimes kLogged = {{Bytes(500e3), Seconds(188.69e-6)},  {Bytes(600e3), Seconds(226.65e-6)},
                            {Bytes(700e3), Seconds(268.44e-6)},  {Bytes(800e3), Seconds(293.51e-6)},
                            {Bytes(900e3), Seconds(320.81e-6)},  {Bytes(1000e3), Seconds(343.55e-6)},
                            {Bytes(1100e3), Seconds(152.97e-6)}, {Bytes(1200e3), Seconds(169.20e-6)},
                            {Bytes(1300e3), Seconds(179.04e-6)}, {Bytes(1400e3), Seconds(188.43e-6)},
                            {Bytes(1500e3), Seconds(199.46e-6)}};

TEST(ProtocolSteps, AStepIsBetweenTwoSizes) {
  const auto steps = protocol_steps(kLogged);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(kLogged[steps[0].before].first, Bytes(1000e3));
  EXPECT_NEAR(steps[0].jump, -0.59, 0.01);
  const auto parts = parts_between(kLogged, steps);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].size(), 6u);
  EXPECT_EQ(in_a_row(parts[0], parts[1]), kLogged);
}

TEST(ProtocolSteps, AStepMayLeadUpOrDown) {
  for (const double after : {1.3, 2.0, 5.0, 0.75, 0.3}) {
    const auto steps = protocol_steps(
        in_a_row(straight(10e-6, 50e9, 6, 1e6, 1e5), straight(10e-6 * after, 50e9 / after, 6, 1.6e6, 1e5)));
    ASSERT_EQ(steps.size(), 1u) << after;
    EXPECT_EQ(steps[0].before, 5u);
    EXPECT_NEAR(steps[0].jump, after - 1, 1e-6);
  }
}

// Latency, then bandwidth from a size between two that are measured; a root; a line at sizes that double.
TEST(ProtocolSteps, ABendIsNone) {
  SizedTimes knee, root, doubling;
  for (int i = 0; i < 24; ++i) {
    const double bytes = 1024 * std::pow(2, i);
    knee.emplace_back(Bytes(bytes), Seconds(std::max(5e-6, bytes / 37e9)));
    root.emplace_back(Bytes(bytes), Seconds(1e-8 * std::sqrt(bytes)));
    doubling.emplace_back(Bytes(bytes), Seconds(5e-6 + bytes / 50e9));
  }
  EXPECT_TRUE(protocol_steps(knee).empty());
  EXPECT_TRUE(protocol_steps(root).empty());
  EXPECT_TRUE(protocol_steps(doubling).empty());
  EXPECT_TRUE(protocol_steps(straight(5e-6, 50e9, 7, 1e6, 1e5)).empty());  // too few on each side
}

TEST(ProtocolSteps, ScatterIsNone) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.05);
  std::size_t found = 0;
  for (int trial = 0; trial < 200; ++trial) {
    SizedTimes points = straight(10e-6, 50e9, 40, 1e5, 1e5);
    for (auto& [bytes, time] : points) time = time * std::exp(noise(random));
    found += protocol_steps(points).size();
  }
  EXPECT_LT(found, 60u);  // of 6,600 places
}

TEST(ProtocolSteps, TheLargestAreKeptInOrder) {
  const std::vector<ProtocolStep> steps = {{3, 0.2}, {9, -0.5}, {12, 0.9}, {20, 0.15}};
  const auto kept = largest_steps(steps, 2);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].before, 9u);  // halved is more than times 1.9
  EXPECT_EQ(kept[1].before, 12u);
  EXPECT_EQ(largest_steps(steps, 9).size(), 4u);
}

TEST(FitSteppedCurve, EveryPartHasItsOwnLine) {
  const SizedTimes left = straight(10e-6, 5e9, 8, 1e6, 1e5), right = straight(20e-6, 20e9, 8, 1.8e6, 1e5);
  const auto curve = fit_stepped_curve({left, right}, 12);
  ASSERT_TRUE(curve.has_value());
  ASSERT_EQ(curve->size(), 4u);
  for (const auto& [knot, exact] :
       {std::pair(0, left.front()), {1, left.back()}, {2, right.front()}, {3, right.back()}}) {
    EXPECT_EQ((*curve)[knot].first, exact.first);
    EXPECT_NEAR((*curve)[knot].second / exact.second, 1, 1e-9);
  }
}

TEST(FitSteppedCurve, OneLineNeedsNoParts) {
  EXPECT_FALSE(
      fit_stepped_curve({straight(10e-6, 5e9, 8, 1e6, 1e5), straight(10e-6, 5e9, 8, 1.8e6, 1e5)}, 12));
  EXPECT_FALSE(fit_stepped_curve({straight(10e-6, 5e9, 8, 1e6, 1e5)}, 12));
}

// Wherever it is, and however large, the fitted curve holds both sides of it.
RC_GTEST_PROP(FitSteppedCurve, HoldsBothSidesOfAStep, ()) {
  const auto before = *rc::gen::inRange<std::size_t>(4, 12), after = *rc::gen::inRange<std::size_t>(4, 12);
  const double factor = *rc::gen::element(0.2, 0.5, 0.8, 1.25, 2.0, 6.0);
  const SizedTimes points =
      in_a_row(straight(10e-6, 5e9, before, 1e6, 1e5),
               straight(10e-6 * factor, 5e9 / factor, after, 1e6 + 1e5 * static_cast<double>(before), 1e5));
  const auto steps = protocol_steps(points);
  RC_ASSERT(steps.size() == 1u);
  RC_ASSERT(steps[0].before + 1 == before);
  const auto curve = fit_stepped_curve(parts_between(points, steps), 12);
  RC_ASSERT(curve.has_value());
  for (const auto& [bytes, time] : *curve) {
    const auto same = std::ranges::find(points, bytes, &SizedTimes::value_type::first);
    RC_ASSERT(same != points.end());
    RC_ASSERT(std::abs(time / same->second - 1) < 1e-6);
  }
}

Samples logged() {
  Samples samples;
  samples.source = "a log";
  for (const auto& [bytes, time] : kLogged)
    samples.messages.push_back({CollectiveOperation::AllReduce, 4, 2, "", bytes, time});
  return samples;
}

// One line through all sizes has no slope, which was taken for "bound by latency".
TEST(FitMessages, ALogWithAStepIsFittedPiecewise) {
  const Platform base = read_platform(SPILLWAY_SOURCE_DIR "/platforms/h100-nvl.json");
  const Fits fits = fit_messages(base, {logged()});
  ASSERT_EQ(fits.sweeps.size(), 1u);
  const auto& knots = fits.sweeps[0].sweep.points.value;
  const auto has = [&](double bytes) {
    return std::ranges::find(knots, Bytes(bytes), [](const auto& knot) { return knot.first; }) != knots.end();
  };
  EXPECT_TRUE(has(1000e3));
  EXPECT_TRUE(has(1100e3));
  ASSERT_FALSE(fits.held_back.empty());
  EXPECT_LT(fits.held_back[0].mean_absolute, 0.03);
  EXPECT_EQ(to_string(fits.notes[0]),
            "read: all-reduce, 4 devices of cluster, 2 each: fitted piecewise, with steps as of another "
            "protocol or "
            "algorithm: 1000000 to 1100000 bytes (-59 %)");
}

}  // namespace
}  // namespace spillway
