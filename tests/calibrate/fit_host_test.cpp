#include "calibrate/fit_host.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spillway {
namespace {

IssuedPass pass(double span_ms, double busy_ms, std::size_t kernels) {
  return {milliseconds(span_ms), milliseconds(busy_ms), kernels};
}

// Passes of rank 0 of an Ascend 910B run of two microbatches: Ascend/msinsight at 4e16fca1, ascend_910b_pp2.
const std::vector<IssuedPass> kAscend = {pass(73.271, 31.224, 441), pass(79.572, 29.286, 442),
                                         pass(81.959, 73.600, 512), pass(94.797, 77.709, 517)};

TEST(FitHost, ForwardsOfTheAscendRunAreHostBoundAndItsBackwardsAreNot) {
  const Fits fits = fit_host(kAscend, "Ascend 910B");
  ASSERT_EQ(fits.numbers.size(), 1u);
  const auto& [pointer, value, low, high, points, source] = fits.numbers[0];
  EXPECT_EQ(pointer, "/accelerator/host_overhead_us");
  EXPECT_NEAR(value, (73271 + 79572) / 883.0, 0.01);
  EXPECT_EQ(points, 2u);
  EXPECT_EQ(source, "Ascend 910B");
  // Two passes 8 % apart say little of the spread: Student's t of one degree of freedom is 12.7.
  EXPECT_NEAR(high - value, 12.706 * 6.94, 2);
  EXPECT_NEAR(value - low, high - value, 1e-9);
  EXPECT_TRUE(fits.held_back.empty());
  ASSERT_EQ(fits.notes.size(), 2u);
  EXPECT_EQ(to_string(fits.notes[1]), "missing: spans of host-bound passes: too few to hold any back");
}

TEST(FitHost, OfFourHostBoundPassesTwoAreHeldBack) {
  const std::vector<IssuedPass> passes = {pass(100, 10, 1000), pass(110, 10, 1000), pass(100, 10, 1000),
                                          pass(90, 10, 1000), pass(500, 499, 10)};
  const Fits fits = fit_host(passes, "");
  ASSERT_EQ(fits.numbers.size(), 1u);
  EXPECT_NEAR(fits.numbers[0].value, 100, 1e-9);
  EXPECT_EQ(fits.numbers[0].points, 2u);
  ASSERT_EQ(fits.held_back.size(), 1u);
  EXPECT_NEAR(fits.held_back[0].mean_absolute, (1.0 / 11 + 1.0 / 9) / 2, 1e-9);
}

TEST(FitHost, ADeviceThatIsBusyHidesItsHost) {
  const Fits fits = fit_host(std::span(kAscend).last(2), "");
  EXPECT_TRUE(fits.numbers.empty());
  ASSERT_EQ(fits.undetermined.size(), 1u);
  EXPECT_NE(fits.undetermined[0].why.find("of 2 passes 0 leave the device idle"), std::string::npos);
}

TEST(FitHost, OnePassSaysNothingOfItsSpread) {
  EXPECT_EQ(fit_host(std::span(kAscend).first(1), "").undetermined.size(), 1u);
  EXPECT_EQ(fit_host({}, "").undetermined.size(), 1u);
}

}  // namespace
}  // namespace spillway
