// The heaviest chain against every path of small relations.
#include "maxplus/heaviest_chain.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/property.h"

namespace spillway::testing {
namespace {

using Follows = std::vector<std::vector<std::size_t>>;
using Chain = std::vector<std::size_t>;

const std::vector<Seconds> kWeights = {Seconds(3), Seconds(1), Seconds(2), Seconds(2)};

TEST(HeaviestChain, GoesOnWhileThingsFollow) {
  EXPECT_EQ(heaviest_chain(kWeights, Follows{{}, {2}, {3}, {}}), (Chain{1, 2, 3}));
  EXPECT_EQ(heaviest_chain(kWeights, Follows{{}, {2}, {}, {}}), (Chain{0}));
  EXPECT_EQ(heaviest_chain({}, {}), Chain{});
}

TEST(HeaviestChain, HasNoneInACircle) {
  EXPECT_EQ(heaviest_chain(kWeights, Follows{{1}, {0}, {}, {}}), std::nullopt);
  EXPECT_EQ(heaviest_chain(kWeights, Follows{{}, {}, {}, {3}}), std::nullopt);
}

// Follows every path from `first`: slow and obvious.
Seconds heaviest_from(const std::vector<Seconds>& weights, const Follows& follows, std::size_t first) {
  Seconds rest;
  for (std::size_t next : follows[first]) rest = std::max(rest, heaviest_from(weights, follows, next));
  return weights[first] + rest;
}

RC_GTEST_PROP(HeaviestChain, IsAChainAndAsHeavyAsAnyPath, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 8);
  std::vector<Seconds> weights;
  Follows follows(size);
  for (std::size_t i = 0; i < size; ++i) {
    weights.emplace_back(*rc::gen::inRange(0, 9));
    for (std::size_t later = i + 1; later < size; ++later)
      if (*rc::gen::arbitrary<bool>()) follows[i].push_back(later);
  }
  const auto chain = heaviest_chain(weights, follows);
  RC_ASSERT(chain.has_value());
  Seconds sum, heaviest;
  for (std::size_t i = 0; i < chain->size(); ++i) {
    sum += weights[(*chain)[i]];
    if (i == 0) continue;
    const auto& after = follows[(*chain)[i - 1]];
    RC_ASSERT(std::find(after.begin(), after.end(), (*chain)[i]) != after.end());
  }
  for (std::size_t i = 0; i < size; ++i) heaviest = std::max(heaviest, heaviest_from(weights, follows, i));
  RC_ASSERT(sum == heaviest);
}

}  // namespace
}  // namespace spillway::testing
