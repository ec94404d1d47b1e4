// Building an order: Kahn's algorithm finds each event's level, the longest path that ends in it; numbering
// by level is topological, and whatever has no level lies on or behind a cycle. Linear in events and edges.
#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "base/error.h"
#include "order/graph.h"
#include "order/order.h"

namespace spillway {
namespace {

constexpr std::uint32_t kNoLevel = std::numeric_limits<std::uint32_t>::max();

// Follows unresolved predecessors until an event comes round again.
Cycle cycle_among(std::span<const Event> events, std::span<const std::uint32_t> from,
                  std::span<const std::uint32_t> to, std::span<const std::uint32_t> level) {
  std::vector<std::uint32_t> unresolved_predecessor(events.size(), kNoLevel);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (level[from[i]] == kNoLevel) unresolved_predecessor[to[i]] = from[i];
  }
  const auto start = std::find(level.begin(), level.end(), kNoLevel) - level.begin();
  std::uint32_t at = static_cast<std::uint32_t>(start);
  std::vector<bool> visited(events.size(), false);
  while (!visited[at]) {
    visited[at] = true;
    at = unresolved_predecessor[at];
  }
  Cycle cycle{{events[at]}};
  for (std::uint32_t event = unresolved_predecessor[at]; event != at; event = unresolved_predecessor[event]) {
    cycle.events.push_back(events[event]);
  }
  std::reverse(cycle.events.begin(), cycle.events.end());
  return cycle;
}

bool on_every_rank(const Event& event) {
  return event.kind == EventKind::StepBarrier || (event.in_group() && event.group == Group::ReplicaGroup);
}

std::vector<std::vector<EventId>> project(std::span<const Event> events, std::uint32_t ranks) {
  std::vector<std::vector<EventId>> nodes(ranks);
  for (std::uint32_t id = 0; id < events.size(); ++id) {
    if (on_every_rank(events[id])) {
      for (auto& list : nodes) list.push_back(EventId(id));
    } else {
      const std::uint32_t holders = events[id].in_group() ? events[id].holders() : 1;
      for (std::uint32_t i = 0; i < holders; ++i) nodes[events[id].holder(i).index()].push_back(EventId(id));
    }
  }
  return nodes;
}

}  // namespace

std::vector<std::uint32_t> place_by_level(std::span<const std::uint32_t> levels) {
  const std::uint32_t deepest = levels.empty() ? 0 : *std::max_element(levels.begin(), levels.end());
  std::vector<std::uint32_t> next(std::size_t{deepest} + 2, 0);
  for (std::uint32_t level : levels) ++next[level + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> place(levels.size());
  for (std::size_t event = 0; event < levels.size(); ++event) place[event] = next[levels[event]]++;
  return place;
}

void OrderBuilder::reserve(std::size_t events, std::size_t edges) {
  events_.reserve(events);
  from_.reserve(edges);
  to_.reserve(edges);
  kind_.reserve(edges);
}

std::uint32_t OrderBuilder::add(const Event& event) {
  events_.push_back(event);
  return static_cast<std::uint32_t>(events_.size() - 1);
}

void OrderBuilder::edge(std::uint32_t from, std::uint32_t to, EdgeKind kind) {
  ensure(from < events_.size() && to < events_.size(), "an edge joins two events of its order");
  from_.push_back(from);
  to_.push_back(to);
  kind_.push_back(kind);
}

std::variant<std::vector<std::uint32_t>, Cycle> OrderBuilder::levels() const {
  const std::size_t n = events_.size();
  std::vector<std::uint32_t> first(n + 1, 0), waiting(n, 0), successor(from_.size()), level(n, kNoLevel),
      ready;
  for (std::size_t i = 0; i < from_.size(); ++i) ++first[from_[i] + 1], ++waiting[to_[i]];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> fill(first.begin(), first.end() - 1), depth(n, 0);
  for (std::size_t i = 0; i < from_.size(); ++i) successor[fill[from_[i]]++] = to_[i];
  ready.reserve(n);
  for (std::uint32_t event = 0; event < n; ++event) {
    if (waiting[event] == 0) ready.push_back(event);
  }
  for (std::size_t head = 0; head < ready.size(); ++head) {
    const std::uint32_t event = ready[head];
    level[event] = depth[event];
    for (std::uint32_t i = first[event]; i < first[event + 1]; ++i) {
      depth[successor[i]] = std::max(depth[successor[i]], level[event] + 1);
      if (--waiting[successor[i]] == 0) ready.push_back(successor[i]);
    }
  }
  if (ready.size() < n) return cycle_among(events_, from_, to_, level);
  return level;
}

std::variant<Order, Cycle> OrderBuilder::build() && {
  auto found = levels();
  if (auto* cycle = std::get_if<Cycle>(&found)) return std::move(*cycle);
  const std::vector<std::uint32_t> number = place_by_level(std::get<std::vector<std::uint32_t>>(found));
  std::vector<Event> events(events_.size());
  for (std::size_t event = 0; event < events_.size(); ++event) events[number[event]] = events_[event];
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(from_.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {number[from_[i]], number[to_[i]]};
    ensure(pairs[i].first < pairs[i].second, "numbering by level is topological");
  }
  auto graph = std::unique_ptr<const Order::Graph>(
      new Order::Graph{Order::Graph::Csr(boost::edges_are_unsorted_multi_pass, pairs.begin(), pairs.end(),
                                         kind_.begin(), static_cast<std::uint32_t>(events.size()))});
  auto nodes = project(events, ranks_);
  return Order(std::move(events), std::move(graph), std::move(nodes));
}

}  // namespace spillway
