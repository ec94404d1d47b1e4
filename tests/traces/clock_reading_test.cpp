#include "traces/files/clock_reading.h"

#include <gtest/gtest.h>

#include "support/property.h"

namespace spillway {
namespace {

ClockReading at(const std::string& text) {
  return ClockReading::parse(text).value();
}

TEST(ClockReading, HundredthsOfAMicrosecondSurviveAnEpoch) {
  EXPECT_NEAR(at("1740461679479712.27").since(at("1740461679479712.26")).value(), 1e-8, 1e-15);
  EXPECT_NEAR(at("1740461679479713.01").since(at("1740461679479712.99")).value(), 2e-8, 1e-15);
  EXPECT_NEAR(at("1740461679479712").seconds(), 1740461679.479712, 1e-6);
}

TEST(ClockReading, ReadsWhatJsonCallsANumber) {
  EXPECT_DOUBLE_EQ(at("-3.5").since(at("0")).value(), -3.5e-6);
  EXPECT_DOUBLE_EQ(at("1.25e3").since(at("0")).value(), 1.25e-3);
  EXPECT_DOUBLE_EQ(at("-0.5").since(at("0.5")).value(), -1e-6);
  for (const char* text : {"", "soon", "1.", "1.x", "1e300", "nan", "99999999999999999999"})
    EXPECT_FALSE(ClockReading::parse(text)) << text;
}

RC_GTEST_PROP(ClockReadingProperty, DifferencesAreThoseOfTheNanoseconds, ()) {
  const auto base = *rc::gen::inRange<std::int64_t>(0, 2'000'000'000'000'000);
  const auto first = *rc::gen::inRange<std::int64_t>(0, 999),
             second = *rc::gen::inRange<std::int64_t>(0, 999);
  const auto later = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
  const auto text = [](std::int64_t us, std::int64_t ns) {
    const std::string digits = std::to_string(1000 + ns);
    return std::to_string(us) + "." + digits.substr(1);
  };
  const double passed = at(text(base + later, second)).since(at(text(base, first))).value();
  RC_ASSERT(std::abs(passed - static_cast<double>(later * 1000 + second - first) * 1e-9) < 1e-14);
}

}  // namespace
}  // namespace spillway
