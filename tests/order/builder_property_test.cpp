// Random graphs: acyclic exactly if a depth-first search says so; cycles are cycles; ids and adjacency agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "order/order.h"
#include "support/property.h"

namespace spillway {
namespace {

struct Graph {
  std::uint32_t events;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
};

std::uint32_t below(std::uint32_t n) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, n));
}

// Draws few enough edges that about half of the graphs are acyclic.
Graph any_graph() {
  Graph graph{1 + below(12), {}};
  const std::uint32_t edges = below(graph.events + 4);
  for (std::uint32_t i = 0; i < edges; ++i)
    graph.edges.emplace_back(below(graph.events), below(graph.events));
  return graph;
}

// The microbatch of an event is its number in the graph.
OrderBuilder builder_of(const Graph& graph) {
  OrderBuilder builder(1);
  for (std::uint32_t event = 0; event < graph.events; ++event) {
    Event forward{EventKind::Forward};
    forward.microbatch = MicrobatchId(event);
    builder.add(forward);
  }
  for (const auto& [from, to] : graph.edges) builder.edge(from, to, EdgeKind::Sequence);
  return builder;
}

// Visits in white, grey, black: a grey successor closes a cycle.
bool has_cycle(const Graph& graph) {
  enum class Colour { White, Grey, Black };
  std::vector<Colour> colour(graph.events, Colour::White);
  const std::function<bool(std::uint32_t)> visit = [&](std::uint32_t event) {
    colour[event] = Colour::Grey;
    for (const auto& [from, to] : graph.edges) {
      if (from != event || colour[to] == Colour::Black) continue;
      if (colour[to] == Colour::Grey || visit(to)) return true;
    }
    colour[event] = Colour::Black;
    return false;
  };
  for (std::uint32_t event = 0; event < graph.events; ++event) {
    if (colour[event] == Colour::White && visit(event)) return true;
  }
  return false;
}

RC_GTEST_PROP(OrderBuilder, FindsACycleExactlyWhereThereIsOne, ()) {
  const Graph graph = any_graph();
  const auto result = builder_of(graph).build();
  RC_CLASSIFY(has_cycle(graph), "cyclic");
  RC_ASSERT(std::holds_alternative<Cycle>(result) == has_cycle(graph));
  if (const auto* cycle = std::get_if<Cycle>(&result)) {
    std::vector<std::uint32_t> round;
    for (const Event& event : cycle->events) round.push_back(event.microbatch.index());
    RC_ASSERT(!round.empty());
    for (std::size_t i = 0; i < round.size(); ++i) {
      const std::pair edge(round[i], round[(i + 1) % round.size()]);
      RC_ASSERT(std::count(graph.edges.begin(), graph.edges.end(), edge) > 0);
    }
    std::sort(round.begin(), round.end());
    RC_ASSERT(std::adjacent_find(round.begin(), round.end()) == round.end());
  }
}

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

RC_GTEST_PROP(Order, KeepsEveryEdgeAndNumbersTopologically, ()) {
  const Graph graph = any_graph();
  auto result = builder_of(graph).build();
  if (std::holds_alternative<Cycle>(result)) return;
  const Order& order = std::get<Order>(result);
  Pairs edges, successors, predecessors, original = graph.edges;
  for (const Edge& edge : order.edges()) {
    RC_ASSERT(edge.from < edge.to);
    edges.emplace_back(edge.from.index(), edge.to.index());
  }
  Pairs translated;
  for (const auto& [from, to] : edges) {
    translated.emplace_back(order.event(EventId(from)).microbatch.index(),
                            order.event(EventId(to)).microbatch.index());
  }
  for (std::uint32_t id = 0; id < order.event_count(); ++id) {
    for (std::uint32_t to : order.successors(EventId(id))) successors.emplace_back(id, to);
    for (std::uint32_t from : order.predecessors(EventId(id))) predecessors.emplace_back(from, id);
  }
  for (Pairs* pairs : {&edges, &successors, &predecessors, &original, &translated})
    std::sort(pairs->begin(), pairs->end());
  RC_ASSERT(translated == original);
  RC_ASSERT(successors == edges);
  RC_ASSERT(predecessors == edges);
}

}  // namespace
}  // namespace spillway
