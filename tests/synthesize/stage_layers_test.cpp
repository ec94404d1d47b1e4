// Splits by the load of ranks against all splits.
#include "synthesize/stage_layers.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/property.h"

namespace spillway::testing {
namespace {

using Counts = std::vector<std::uint32_t>;

std::vector<Seconds> seconds(const std::vector<int>& numbers) {
  std::vector<Seconds> all;
  for (const int number : numbers) all.emplace_back(number);
  return all;
}

std::vector<RankId> loop(std::uint32_t ranks, std::uint32_t stages) {
  std::vector<RankId> all;
  for (std::uint32_t stage = 0; stage < stages; ++stage) all.emplace_back(stage % ranks);
  return all;
}

double longest_rank(const std::vector<Seconds>& layers, const std::vector<RankId>& rank,
                    const Counts& counts) {
  std::vector<double> load(rank.size());
  std::size_t layer = 0;
  for (std::size_t stage = 0; stage < counts.size(); ++stage)
    for (std::uint32_t i = 0; i < counts[stage]; ++i) load[rank[stage].index()] += layers[layer++].value();
  return *std::ranges::max_element(load);
}

// Tries all splits of the layers that are left over the stages from `stage` on.
void try_all(const std::vector<Seconds>& layers, const std::vector<RankId>& rank, Counts& counts,
             std::uint32_t left, double& least) {
  const std::size_t more = rank.size() - counts.size() - 1;
  for (std::uint32_t own = more == 0 ? left : 1; own + more <= left; ++own) {
    counts.push_back(own);
    if (more == 0)
      least = std::min(least, longest_rank(layers, rank, counts));
    else
      try_all(layers, rank, counts, left - own, least);
    counts.pop_back();
  }
}

// The first rank has 8 + 1 s, the second 2 + 1 + 1 and 1 + 1 + 1 s. Even stages would be 8, 3, 3 and 2 s.
TEST(StageLayers, EvenRanksMayHaveUnevenStages) {
  EXPECT_EQ(split_by_rank(seconds({6, 6, 1, 1, 1, 1}), loop(2, 4)), (Counts{1, 1, 2, 2}));
  EXPECT_EQ(split_by_rank(seconds({8, 2, 1, 1, 1, 1, 1, 1}), loop(2, 4)), (Counts{1, 3, 1, 3}));
}

// A single layer at a time does not always lead to the best split: the longest rank is near the least.
RC_GTEST_PROP(StageLayers, AreNearTheBestOfAllSplits, ()) {
  const auto ranks = *rc::gen::inRange<std::uint32_t>(1, 4), chunks = *rc::gen::inRange<std::uint32_t>(1, 3);
  const auto numbers = *rc::gen::container<std::vector<int>>(
      *rc::gen::inRange<std::size_t>(ranks * chunks, 11), rc::gen::inRange(1, 7));
  const std::vector<Seconds> layers = seconds(numbers);
  const std::vector<RankId> rank = loop(ranks, ranks * chunks);
  const Counts counts = split_by_rank(layers, rank);
  RC_ASSERT(std::ranges::min(counts) >= 1U);
  RC_ASSERT(std::accumulate(counts.begin(), counts.end(), 0U) == layers.size());
  double least = std::numeric_limits<double>::infinity();
  Counts none;
  try_all(layers, rank, none, static_cast<std::uint32_t>(layers.size()), least);
  RC_ASSERT(longest_rank(layers, rank, counts) <= least * 1.35);
}

}  // namespace
}  // namespace spillway::testing
