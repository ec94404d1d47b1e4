#include "words/spread.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/statistics.h"

namespace spillway {
namespace {

// s^2 = (2.25 + 0.25 + 0.25 + 2.25) / 3, t(3) = 3.182 (NIST/SEMATECH e-Handbook, 1.3.6.7.2): 3.182 x 1.29099
// / 2.
TEST(Spread, FourDrawsByHand) {
  const Spread s = spread({4, 2, 1, 3});
  EXPECT_EQ(s.mean, 2.5);
  EXPECT_EQ(s.p5, 1);
  EXPECT_EQ(s.p50, 2);
  EXPECT_EQ(s.p95, 4);
  EXPECT_EQ(s.p99, 4);
  EXPECT_EQ(s.max, 4);
  EXPECT_NEAR(s.ci95, 3.182 * 1.2909944 / 2, 1e-3);
}

TEST(Spread, PercentilesOfAHundredAreTheirRanks) {
  std::vector<double> values(100);
  std::iota(values.rbegin(), values.rend(), 1.0);
  const Spread s = spread(values);
  EXPECT_EQ(s.p5, 5);
  EXPECT_EQ(s.p50, 50);
  EXPECT_EQ(s.p95, 95);
  EXPECT_EQ(s.p99, 99);
  EXPECT_EQ(s.max, 100);
}

TEST(Spread, OneDrawHasNoInterval) {
  EXPECT_EQ(spread({7}).ci95, 0);
  EXPECT_EQ(spread({7}).p99, 7);
}

// Ten times 0.1 sum to 0.9999999999999999.
TEST(Mean, IsOfEqualValuesThatValueAndKnowsNoOrder) {
  EXPECT_EQ(mean_of(std::vector<double>(10, 0.1)), 0.1);
  EXPECT_EQ(mean_of({1e16, 1, -1e16}), mean_of({1, -1e16, 1e16}));
}

TEST(Mean, VariesOnlyWhereDrawsDiffer) {
  EXPECT_FALSE(varies({3, 3, 3}));
  EXPECT_TRUE(varies({3, 3, 4}));
}

}  // namespace
}  // namespace spillway
