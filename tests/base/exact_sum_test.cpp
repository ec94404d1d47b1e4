// Sums that do not depend on the order of their terms.
#include "base/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/ticks.h"

namespace spillway {
namespace {

double sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (double term : terms) sum.add(term);
  return sum.value();
}

TEST(ExactSum, IsTheRealSumRoundedOnce) {
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({1e100, 1, -1e100}), 1);
  EXPECT_EQ(sum_of(std::vector<double>(10, 0.1)), 1);  // added one by one: 0.9999999999999999
  EXPECT_EQ(sum_of({1, 1e-16, 1e-16}), 1 + 2.220446049250313e-16);
  // The sums lie a little above and below half-way between 1 and the next double.
  EXPECT_EQ(sum_of({1, 1.1102230246251565e-16, 1e-40}), 1 + 2.220446049250313e-16);
  EXPECT_EQ(sum_of({1, 1.1102230246251565e-16, -1e-40}), 1);
}

TEST(ExactSum, IsTheSameInAnyOrder) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-30, 30), part(-1, 1);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> terms;
    for (int i = 0; i < 40; ++i) terms.push_back(part(random) * std::pow(10, exponent(random)));
    const double sum = sum_of(terms);
    std::shuffle(terms.begin(), terms.end(), random);
    EXPECT_EQ(sum_of(terms), sum);
  }
}

// 32 times 0.7 and once 22.4 differ in the last bit as sums of doubles but are the same number of ticks.
// Times that lie further apart are not.
TEST(Ticks, EqualTimesTieAndOthersDoNot) {
  double added = 0;
  for (int i = 0; i < 32; ++i) added += 0.7;
  std::vector<Seconds> times = {Seconds(added), Seconds(22.4), Seconds(22.4 * (1 + 1e-9)), Seconds(1e-30)};
  ASSERT_NE(times[0], times[1]);
  round_to_ticks(times);
  EXPECT_EQ(times[0], times[1]);
  EXPECT_NE(times[1], times[2]);
  EXPECT_NEAR(times[1].value(), 22.4, 22.4e-12);
  EXPECT_EQ(times[3], Seconds());
}

TEST(Ticks, SumsOfThousandsAreExact) {
  std::vector<Seconds> times;
  for (int i = 1; i <= 3000; ++i) times.emplace_back(1.0 / i);
  round_to_ticks(times);
  Seconds up, down;
  for (std::size_t i = 0; i < times.size(); ++i) up += times[i], down += times[times.size() - 1 - i];
  EXPECT_EQ(up, down);
}

TEST(Ticks, NothingIsNothing) {
  std::vector<Seconds> times(3);
  round_to_ticks(times);
  EXPECT_EQ(times, std::vector<Seconds>(3));
}

}  // namespace
}  // namespace spillway
