#include "traces/profile/repeated_layers.h"

#include <gtest/gtest.h>

#include <string>

#include "support/property.h"

namespace spillway::testing {
namespace {

std::vector<EqualLayers> runs_in(const std::string& letters) {
  const std::vector<std::uint32_t> kernels(letters.begin(), letters.end());
  return repeated_layers(kernels);
}

TEST(RepeatedLayers, TheExampleOfTheHeader) {
  EXPECT_EQ(runs_in("abcdbcdbcde"), (std::vector<EqualLayers>{{1, 3, 3}}));
}

TEST(RepeatedLayers, AnEncoderAndALanguageModelAreTwoRuns) {
  EXPECT_EQ(runs_in("p"
                    "vwxvwxvwxvwx"
                    "q"
                    "abcdeabcdeabcde"
                    "z"),
            (std::vector<EqualLayers>{{1, 3, 4}, {14, 5, 3}}));
}

TEST(RepeatedLayers, TwoLayersOrOneKernelOverAndOverAreNone) {
  EXPECT_TRUE(runs_in("abcdabcd").empty());
  EXPECT_TRUE(runs_in("aaaaaaaaaaaa").empty());
  EXPECT_TRUE(runs_in("").empty());
}

// The most kernels that any run of at least three equal layers covers, by all first kernels and periods.
std::size_t most_covered(const std::vector<std::uint32_t>& kernels) {
  std::size_t most = 0;
  for (std::size_t first = 0; first < kernels.size(); ++first)
    for (std::size_t period = 2; first + 3 * period <= kernels.size(); ++period) {
      std::size_t end = first + period;
      while (end < kernels.size() && kernels[end] == kernels[end - period]) ++end;
      const std::size_t layers = (end - first) / period;
      bool two_kinds = false;
      for (std::size_t i = first; i < first + period; ++i) two_kinds |= kernels[i] != kernels[first];
      if (layers >= 3 && two_kinds) most = std::max(most, layers * period);
    }
  return most;
}

RC_GTEST_PROP(RepeatedLayers, TheLargestRunIsAmongThemAndEachRepeats, ()) {
  const auto kernels = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0U, 3U));
  const std::vector<EqualLayers> runs = repeated_layers(kernels);
  std::size_t largest = 0, end = 0;
  for (const EqualLayers& run : runs) {
    RC_ASSERT(run.first >= end);
    end = run.first + run.kernels();
    RC_ASSERT(end <= kernels.size());
    for (std::size_t i = run.first + run.period; i < end; ++i)
      RC_ASSERT(kernels[i] == kernels[i - run.period]);
    largest = std::max(largest, run.kernels());
  }
  const std::size_t most = most_covered(kernels);
  if (20 * most >= kernels.size()) RC_ASSERT(largest == most);
}

}  // namespace
}  // namespace spillway::testing
