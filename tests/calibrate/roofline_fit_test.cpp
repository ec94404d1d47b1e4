#include "calibrate/roofline_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/timed_works.h"
#include "support/property.h"

namespace spillway {
namespace {

constexpr FlopsPerSecond kPeak(1e12);
constexpr BytesPerSecond kMemoryRate(1e9);

double missed(const std::vector<TimedWork>& measured, double efficiency) {
  double sum = 0;
  for (const auto& [work, time] : measured)
    sum +=
        std::pow(roofline_time(work, FlopsPerSecond(kPeak.value() * efficiency), kMemoryRate) / time - 1, 2);
  return sum;
}

TimedWork timed(double flops, double bytes, double seconds) {
  return {{Flops(flops), Bytes(bytes)}, Seconds(seconds)};
}

RC_GTEST_PROP(RooflineFit, NoEfficiencyComesCloser, ()) {
  std::vector<TimedWork> measured;
  for (int i = 0; i < 12; ++i) {
    const double flops = *rc::gen::inRange(1, 1000) * 1e8, bytes = *rc::gen::inRange(1, 1000) * 1e5;
    const double over = *rc::gen::inRange(50, 300) / 100.0;
    measured.push_back(timed(flops, bytes, over * std::max(flops / 5e11, bytes / 1e9)));
  }
  const auto fit = fit_roofline(measured, kPeak, kMemoryRate);
  RC_PRE(fit.has_value());
  const double found = missed(measured, fit->efficiency.value);
  for (double e = 0.01; e < 3; e *= 1.003) RC_ASSERT(found <= missed(measured, e) + 1e-9);
}

RC_GTEST_PROP(RooflineFit, TheEfficiencyThatMadeTheTimesIsFound, ()) {
  const double efficiency = *rc::gen::inRange(5, 101) / 100.0;
  std::vector<TimedWork> measured;
  for (const double intensity : {1e1, 2e1, 1e4, 1e5, 1e6}) {
    const OperatorWork work{Flops(1e9 * intensity), Bytes(1e9)};
    measured.push_back({work, roofline_time(work, FlopsPerSecond(kPeak.value() * efficiency), kMemoryRate)});
  }
  const auto fit = fit_roofline(measured, kPeak, kMemoryRate);
  RC_ASSERT(fit.has_value());
  RC_ASSERT(std::abs(fit->efficiency.value - efficiency) < 1e-9);
  RC_ASSERT(fit->compute_bound == 3u);
}

TEST(RooflineFit, SlowMemoryIsNotTakenForSlowComputing) {
  std::vector<TimedWork> measured;
  for (int i = 1; i < 20; ++i) measured.push_back(timed(1e6 * i, 1e6 * i, (i % 3 == 0 ? 1.5e-3 : 1e-3) * i));
  EXPECT_FALSE(fit_roofline(measured, kPeak, kMemoryRate));
}

TEST(RooflineFit, MemoryBoundOperatorsSayNothingOfComputing) {
  std::vector<TimedWork> measured;
  for (int i = 1; i < 20; ++i) measured.push_back(timed(1e6 * i, 1e6 * i, 1e-3 * i));
  EXPECT_FALSE(fit_roofline(measured, kPeak, kMemoryRate));
  EXPECT_FALSE(fit_roofline({}, kPeak, kMemoryRate));
}

TEST(Halves, EqualWorksStayTogetherWhateverTheirOrder) {
  std::vector<TimedWork> works;
  for (int i = 0; i < 30; ++i) works.push_back(timed((i * 7) % 10, 1, 1 + i));
  const Halves halves = halved(works);
  EXPECT_EQ(halves.fitted.size(), 15u);
  for (const TimedWork& fitted : halves.fitted)
    for (const TimedWork& held : halves.held_back) EXPECT_NE(fitted.work, held.work);
}

}  // namespace
}  // namespace spillway
