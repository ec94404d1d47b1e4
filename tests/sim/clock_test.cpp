#include "sim/simgrid/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace spillway {
namespace {

// A clock that can be reset starts every run at 0. One that cannot may be anywhere. Each date is off by at
// most nine units of its rounding.
TEST(SlowMotion, IsSlowEnoughForTheDatesOfARunAndHardlySlower) {
  constexpr double kOfADate = 9 * std::numeric_limits<double>::epsilon();
  const Seconds least(0.06);
  for (const double clock : {0.0, 1.0, 36e3, 1e6})
    for (const std::uint64_t dates : {1, 100, 1000, 2000, 200'000}) {
      const double lasts = SlowMotion(least, dates, clock).engine(least);
      EXPECT_GE(lasts, 1) << clock << " s, " << dates << " dates";
      EXPECT_LE(static_cast<double>(dates) * kOfADate * clock, 0x1p-30 * lasts)
          << clock << " s, " << dates << " dates";
      if (dates <= 1000) {
        EXPECT_LE(lasts, std::max(2.0, clock / 100)) << clock << " s, " << dates << " dates";
      }
    }
}

}  // namespace
}  // namespace spillway
