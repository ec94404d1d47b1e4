// Splits that software can express, against every split of few layers.
#include "optimize/placed_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "derive/stage_split.h"
#include "support/numbers.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::number;
using Counts = std::vector<std::uint32_t>;

constexpr PlacedStages kAnySplit{};
constexpr PlacedStages kShorterEnds{StageLayerCounts::Ends};

std::vector<Seconds> seconds_of(std::initializer_list<int> numbers) {
  std::vector<Seconds> times;
  for (const int each : numbers) times.emplace_back(each);
  return times;
}

Seconds slowest(const std::vector<Seconds>& times, const Counts& counts) {
  Seconds most;
  std::size_t layer = 0;
  for (const std::uint32_t count : counts) {
    Seconds sum;
    for (std::uint32_t i = 0; i < count; ++i) sum += times[layer++];
    most = std::max(most, sum);
  }
  return most;
}

void each_split(std::uint32_t layers, std::uint32_t stages, Counts& before,
                const std::function<void(const Counts&)>& visit) {
  if (stages == 1) {
    before.push_back(layers);
    visit(before);
    before.pop_back();
    return;
  }
  for (std::uint32_t first = 1; first + stages - 1 <= layers; ++first) {
    before.push_back(first);
    each_split(layers - first, stages - 1, before, visit);
    before.pop_back();
  }
}

// Equal shares of the layers and of those that the ends lack, without the latter. Neither end lacks more
// than a stage's share and one.
bool has_shorter_ends(const Counts& counts, std::uint32_t layers) {
  const auto stages = static_cast<std::uint32_t>(counts.size());
  const std::uint32_t most = layers / stages + 1;
  for (std::uint32_t first = 0; first <= most; ++first)
    for (std::uint32_t last = 0; last <= most; ++last) {
      Counts whole = counts;
      whole.front() += first;
      whole.back() += last;
      const auto [least, greatest] = std::ranges::minmax(whole);
      if (greatest - least <= 1 && std::ranges::is_sorted(whole, std::greater())) return true;
    }
  return stages == 1;
}

TEST(PlacedSplit, KeepsTheEncoderOnTheFirstStage) {
  const auto times = seconds_of({1, 1, 1, 1, 3, 3, 3, 3});
  EXPECT_EQ(placed_split(times, 4, kAnySplit, 0), balanced_split(times, 4));
  EXPECT_EQ(placed_split(times, 4, kAnySplit, 5), (Counts{5, 1, 1, 1}));
  EXPECT_EQ(placed_split(times, 2, kAnySplit, 5), (Counts{5, 3}));
}

TEST(PlacedSplit, LetsTheEndsHaveFewerLayers) {
  EXPECT_EQ(placed_split(seconds_of({5, 1, 1, 1, 1, 1, 1}), 3, kShorterEnds, 0), (Counts{1, 3, 3}));
  EXPECT_EQ(placed_split(seconds_of({1, 1, 1, 1, 1, 1, 5}), 3, kShorterEnds, 0), (Counts{3, 3, 1}));
  EXPECT_EQ(placed_split(seconds_of({1, 1, 1, 1}), 2, kShorterEnds, 0), (Counts{2, 2}));
}

// A pipeline that is too long for its language model takes any split.
TEST(PlacedSplit, IsBalancedWhereNoneCanBeExpressed) {
  const auto times = seconds_of({1, 1, 1, 1, 1, 1});
  EXPECT_EQ(placed_split(times, 4, kAnySplit, 4), balanced_split(times, 4));
}

RC_GTEST_PROP(PlacedSplit, IsAsFastAsTheBestSplitThatCanBeExpressed, ()) {
  const std::uint32_t layers = number(1, 11), stages = number(1, std::min(layers, 5U));
  const std::uint32_t together = number(0, layers);
  const bool ends = number(0, 1) == 1;
  std::vector<Seconds> times;
  for (std::uint32_t i = 0; i < layers; ++i) times.emplace_back(number(1, 9));
  std::optional<Seconds> best;
  Counts counts;
  each_split(layers, stages, counts, [&](const Counts& split) {
    if (split.front() < together || (ends && !has_shorter_ends(split, layers))) return;
    best = std::min(slowest(times, split), best.value_or(slowest(times, split)));
  });
  const Counts found = placed_split(times, stages, ends ? kShorterEnds : kAnySplit, together);
  if (!best) {
    RC_ASSERT(found == balanced_split(times, stages));
    return;
  }
  RC_ASSERT(slowest(times, found) == *best);
  RC_ASSERT(found.front() >= together);
}

}  // namespace
}  // namespace spillway
