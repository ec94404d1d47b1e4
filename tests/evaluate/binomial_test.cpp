// Bands of counts against every sequence of trials, counted one by one.
#include "evaluate/binomial.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace spillway {
namespace {

// Returns the probability of each count, from all 2^trials sequences.
std::vector<double> counted_out(std::size_t trials, double chance) {
  std::vector<double> shares(trials + 1);
  for (std::size_t sequence = 0; sequence < (std::size_t{1} << trials); ++sequence) {
    const auto successes = static_cast<std::size_t>(std::popcount(sequence));
    shares[successes] += std::pow(chance, successes) * std::pow(1 - chance, trials - successes);
  }
  return shares;
}

TEST(Binomial, ProbabilitiesAreThoseOfAllSequences) {
  for (const double chance : {0.1, 0.5, 0.9})
    for (std::size_t trials = 1; trials <= 12; ++trials) {
      const std::vector<double> shares = counted_out(trials, chance);
      for (std::size_t count = 0; count <= trials; ++count)
        EXPECT_NEAR(binomial_probability(count, trials, chance), shares[count], 1e-12) << trials;
    }
}

TEST(Binomial, NoMoreThanItsTailsLieOutsideABand) {
  for (std::size_t trials = 1; trials <= 14; ++trials) {
    const CountBand band = central_band(trials, 0.9, 0.95);
    const std::vector<double> shares = counted_out(trials, 0.9);
    double below = 0, above = 0;
    for (std::size_t count = 0; count < band.least; ++count) below += shares[count];
    for (std::size_t count = band.most + 1; count <= trials; ++count) above += shares[count];
    EXPECT_LE(below, 0.025 + 1e-12) << trials;
    EXPECT_LE(above, 0.025 + 1e-12) << trials;
    EXPECT_GT(below + shares[band.least], 0.025 - 1e-12) << trials;
    EXPECT_GT(above + shares[band.most], 0.025 - 1e-12) << trials;
  }
}

// The quantiles of R: qbinom(c(0.025, 0.975), n, 0.9).
TEST(Binomial, BandsAreThoseOfTables) {
  EXPECT_EQ(central_band(8, 0.9, 0.95), (CountBand{5, 8}));
  EXPECT_EQ(central_band(20, 0.9, 0.95), (CountBand{15, 20}));
  EXPECT_EQ(central_band(100, 0.9, 0.95), (CountBand{84, 95}));
  EXPECT_TRUE(central_band(20, 0.9, 0.95).holds(15));
  EXPECT_FALSE(central_band(20, 0.9, 0.95).holds(14));
}

}  // namespace
}  // namespace spillway
