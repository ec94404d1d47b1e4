// Maximum cycle ratio: in steady state event j of period k ends at  x_j(k) = max over edges i -> j of
// x_i(k - tokens) + weight, and x grows by the largest  weight of a cycle / tokens of it  per period.
//
//        F 3, token 0
//     F --------------> B      cycle F B:  3 + 4 seconds, 1 token: 7 per period;
//     ^                 |      another cycle with 12 seconds and 2 tokens would lose with 6.
//     +-----------------+
//        B 4, token 1
//
// Howard's iteration keeps one outgoing edge per node, evaluates the cycles that these edges make, and
// changes edges while that improves them. By default, Boost's version ends after 100 rounds, or when gains
// fall below an epsilon of 0.005. So weights are scaled to at most 1, and the epsilon is near rounding. The
// answer is then proved: with edges of weight - ratio x tokens no cycle may be positive (Bellman-Ford). A.
// Dasdan, Experimental analysis of the fastest optimum cycle ratio and mean algorithms, ACM TODAES 9(4),
// 2004. Tests: tests/maxplus/cycle_ratio_test.cpp.
#include "maxplus/cycle_ratio.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/howard_cycle_ratio.hpp>

#include "base/error.h"

namespace spillway {
namespace {

struct Ratio {
  double weight;
  double tokens;
};

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Ratio>;

// Floats for values around 1; Boost takes a negated epsilon for a maximum.
struct FineFloat {
  using value_type = double;
  static double infinity() { return std::numeric_limits<double>::infinity(); }
  static double epsilon() { return -1e-12; }
};

constexpr double kProof = 1e-9;  // relative to the largest weight, per node of a cycle

// Renumbers periods node by node, so that no edge has negative tokens; the tokens of cycles do not change.
std::vector<std::int32_t> retimed(std::uint32_t nodes, std::span<const TokenEdge> edges) {
  std::vector<std::int32_t> period(nodes, 0), tokens;
  bool changed = true;
  for (std::uint32_t round = 0; changed; ++round) {
    ensure(round <= nodes, "every cycle has positive tokens");
    changed = false;
    for (const TokenEdge& edge : edges) {
      if (period[edge.to] <= period[edge.from] + edge.tokens) continue;
      period[edge.to] = period[edge.from] + edge.tokens;
      changed = true;
    }
  }
  for (const TokenEdge& edge : edges) tokens.push_back(edge.tokens + period[edge.from] - period[edge.to]);
  return tokens;
}

// Returns true if no cycle has a positive sum of weight - ratio x tokens.
bool none_beats(Seconds ratio, std::uint32_t nodes, std::span<const TokenEdge> edges, Seconds tolerance) {
  std::vector<Seconds> height(nodes);
  bool changed = true;
  for (std::uint32_t round = 0; changed && round <= nodes; ++round) {
    changed = false;
    for (const TokenEdge& edge : edges) {
      const Seconds reached = height[edge.from] + edge.weight - ratio * edge.tokens;
      if (reached <= height[edge.to] + tolerance) continue;
      height[edge.to] = reached;
      changed = true;
    }
  }
  return !changed;
}

CriticalCycle described(const std::vector<Graph::edge_descriptor>& cycle, const Graph& graph, double scale) {
  double weight = 0, tokens = 0;
  CriticalCycle found;
  for (const auto& edge : cycle) {
    weight += graph[edge].weight;
    tokens += graph[edge].tokens;
    found.nodes.push_back(static_cast<std::uint32_t>(boost::source(edge, graph)));
  }
  ensure(tokens > 0, "every cycle has positive tokens");
  found.weight = Seconds(weight * scale);
  found.tokens = static_cast<std::uint32_t>(tokens);
  return found;
}

}  // namespace

CriticalCycle critical_cycle(std::uint32_t nodes, std::span<const TokenEdge> edges) {
  Seconds heaviest;
  for (const TokenEdge& edge : edges) heaviest = std::max(heaviest, edge.weight);
  const double scale = heaviest.value();
  const std::vector<std::int32_t> tokens = retimed(nodes, edges);
  Graph graph(nodes);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    // Boost finds no cycle if all weights are zero. Any other equal weight serves then; the final scaling
    // removes it.
    const double weight = scale > 0 ? edges[i].weight.value() / scale : 1;
    const Ratio ratio{weight, static_cast<double>(tokens[i])};
    boost::add_edge(edges[i].from, edges[i].to, ratio, graph);
  }
  std::vector<Graph::edge_descriptor> cycle;
  boost::maximum_cycle_ratio(graph, boost::get(boost::vertex_index, graph), boost::get(&Ratio::weight, graph),
                             boost::get(&Ratio::tokens, graph), &cycle, FineFloat{});
  CriticalCycle found = described(cycle, graph, scale);
  ensure(none_beats(found.ratio(), nodes, edges, Seconds(kProof * scale)), "Howard finds the largest ratio");
  return found;
}

}  // namespace spillway
