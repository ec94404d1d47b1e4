// The busiest of the devices that share out experts, by closed forms and against drawn loads.
#include "cost/network/routing_skew.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "cost/unknowns.h"

namespace spillway {
namespace {

// Two variates: 1 / sqrt(pi); three: 3 / (2 sqrt(pi)).
TEST(RoutingSkew, TheGreatestOfFewHasClosedForms) {
  EXPECT_NEAR(expected_greatest(1), 0, 1e-9);
  EXPECT_NEAR(expected_greatest(2), 1 / std::sqrt(std::numbers::pi), 1e-9);
  EXPECT_NEAR(expected_greatest(3), 1.5 / std::sqrt(std::numbers::pi), 1e-9);
  EXPECT_NEAR(expected_greatest(8), 1.4236, 1e-4);  // tables of order statistics
  EXPECT_NEAR(expected_greatest(64), 2.3432, 1e-2);
}

TEST(RoutingSkew, IsBalancedWithoutSpreadAndAtMostAllTokens) {
  EXPECT_EQ(busiest_over_mean(0, 128, 8), 1);
  EXPECT_EQ(busiest_over_mean(0.7, 128, 1), 1);
  EXPECT_EQ(busiest_over_mean(5, 8, 8), 8);
  EXPECT_GT(busiest_over_mean(0.7, 128, 32), busiest_over_mean(0.7, 128, 8));
  EXPECT_GT(busiest_over_mean(0.7, 64, 8), busiest_over_mean(0.7, 256, 8));
}

double drawn_busiest(RandomStream& random, double spread, int experts, int devices) {
  std::vector<double> loads(static_cast<std::size_t>(devices));
  double all = 0;
  for (int expert = 0; expert < experts; ++expert) {
    const double load = log_normal(random, spread);
    loads[static_cast<std::size_t>(expert * devices / experts)] += load;
    all += load;
  }
  return *std::ranges::max_element(loads) * devices / all;
}

TEST(RoutingSkew, AgreesWithDrawnLoads) {
  for (const auto& [spread, experts, devices] : {std::tuple(0.2, 128, 8), std::tuple(0.5, 128, 16),
                                                 std::tuple(0.4, 256, 32), std::tuple(0.7, 256, 8)}) {
    RandomStream random({7});
    double sum = 0;
    constexpr int kSteps = 2000;
    for (int step = 0; step < kSteps; ++step) sum += drawn_busiest(random, spread, experts, devices);
    const double expected = busiest_over_mean(spread, experts, static_cast<std::uint32_t>(devices));
    EXPECT_NEAR((sum / kSteps - 1) / (expected - 1), 1, 0.1) << spread << ' ' << experts << ' ' << devices;
  }
}

}  // namespace
}  // namespace spillway
