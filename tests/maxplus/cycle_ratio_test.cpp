// Howard's iteration against every simple cycle.
#include "maxplus/cycle_ratio.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "support/property.h"

namespace spillway::testing {
namespace {

// Finds the largest ratio of all simple cycles, depth-first from the lowest node of each.
class AllCycles {
 public:
  explicit AllCycles(const std::vector<TokenEdge>& edges) : edges_(edges) {}

  double largest(std::uint32_t nodes) {
    for (start_ = 0; start_ < nodes; ++start_) extend(start_, 0, 0);
    return largest_;
  }

 private:
  void extend(std::uint32_t at, double weight, std::int32_t tokens) {
    on_path_.push_back(at);
    for (const TokenEdge& edge : edges_) {
      if (edge.from != at || edge.to < start_) continue;
      const double reached = weight + edge.weight.value();
      if (edge.to == start_)
        largest_ = std::max(largest_, reached / (tokens + edge.tokens));
      else if (std::count(on_path_.begin(), on_path_.end(), edge.to) == 0)
        extend(edge.to, reached, tokens + edge.tokens);
    }
    on_path_.pop_back();
  }

  const std::vector<TokenEdge>& edges_;
  std::vector<std::uint32_t> on_path_;
  std::uint32_t start_ = 0;
  double largest_ = 0;
};

// A ring makes the graph strongly connected. Random node periods move tokens between edges, also below zero.
std::vector<TokenEdge> random_graph(std::uint32_t nodes) {
  std::vector<TokenEdge> edges;
  std::vector<std::int32_t> period;
  for (std::uint32_t node = 0; node < nodes; ++node)
    period.push_back(static_cast<std::int32_t>(number(0, 4)));
  const auto add = [&](std::uint32_t from, std::uint32_t to) {
    // Forward edges may keep the period; backward edges and loops advance it, so every cycle has a token.
    const std::uint32_t tokens = number(from < to ? 0 : 1, 3);
    const std::uint32_t drawn = number(0, 5000);
    edges.push_back({from, to, microseconds(drawn < 1000 ? 0 : drawn),
                     static_cast<std::int32_t>(tokens) + period[to] - period[from]});
  };
  for (std::uint32_t node = 0; node < nodes; ++node) add(node, (node + 1) % nodes);
  for (std::uint32_t extra = number(0, 8); extra > 0; --extra)
    add(number(0, nodes - 1), number(0, nodes - 1));
  return edges;
}

RC_GTEST_PROP(CriticalCycle, HasTheLargestRatioOfAllCycles, ()) {
  const std::uint32_t nodes = number(1, 7);
  const std::vector<TokenEdge> edges = random_graph(nodes);
  const double expected = AllCycles(edges).largest(nodes);
  const CriticalCycle found = critical_cycle(nodes, edges);
  RC_ASSERT(std::abs(found.ratio().value() - expected) <= 1e-9 * expected);
  RC_ASSERT(!found.nodes.empty());
}

TEST(CriticalCycle, OfTheTextbookPair) {
  // F runs before B in a period, and B before the next F. A longer cycle spans two periods at a lower ratio.
  const std::vector<TokenEdge> edges = {
      {0, 1, Seconds(3), 0}, {1, 0, Seconds(4), 1}, {1, 2, Seconds(4), 0}, {2, 0, Seconds(5), 2}};
  const CriticalCycle cycle = critical_cycle(3, edges);
  EXPECT_DOUBLE_EQ(cycle.ratio().value(), 7);
  EXPECT_EQ(cycle.tokens, 1u);
  EXPECT_EQ(cycle.nodes.size(), 2u);
}

TEST(CriticalCycle, OfWhatTakesNoTimeIsZero) {
  const CriticalCycle cycle = critical_cycle(2, std::vector<TokenEdge>{{0, 1, {}, 0}, {1, 0, {}, 1}});
  EXPECT_EQ(cycle.ratio(), Seconds());
  EXPECT_EQ(cycle.nodes.size(), 2u);
}

TEST(CriticalCycle, RefusesACycleWithoutTokens) {
  const std::vector<TokenEdge> edges = {{0, 1, Seconds(1), 0}, {1, 0, Seconds(1), -1}};
  EXPECT_THROW(critical_cycle(2, edges), ContractBreach);
}

}  // namespace
}  // namespace spillway::testing
