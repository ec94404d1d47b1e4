// Builds an order. Kahn's algorithm finds each event's level, the longest path that ends in it. Numbering by
// level is topological. An event without a level lies on or after a cycle. Linear in events and edges.
#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "order/holders.h"
#include "order/order.h"

namespace spillway {
namespace {

// Follows unresolved predecessors until an event repeats.
Cycle cycle_among(std::span<const Event> events, std::span<const std::uint32_t> from,
                  std::span<const std::uint32_t> to, const std::vector<bool>& resolved) {
  std::vector<std::uint32_t> unresolved_predecessor(events.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!resolved[from[i]]) unresolved_predecessor[to[i]] = from[i];
  }
  const auto start = std::find(resolved.begin(), resolved.end(), false) - resolved.begin();
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

// The same edges by their target, those from an earlier event first.
OrderRows turned(const OrderRows& rows) {
  const auto events = static_cast<std::uint32_t>(rows.first.size() - 1);
  OrderRows back{std::vector<std::uint32_t>(rows.first.size(), 0),
                 std::vector<std::uint32_t>(rows.event.size())};
  for (const std::uint32_t to : rows.event) ++back.first[to + 1];
  std::partial_sum(back.first.begin(), back.first.end(), back.first.begin());
  std::vector<std::uint32_t> next(back.first.begin(), back.first.end() - 1);
  for (std::uint32_t event = 0; event < events; ++event)
    for (std::uint32_t i = rows.first[event]; i < rows.first[event + 1]; ++i)
      back.event[next[rows.event[i]]++] = event;
  return back;
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

OrderBuilder::Leaving OrderBuilder::leaving() const {
  Leaving edges{std::vector<std::uint32_t>(events_.size() + 1, 0), std::vector<std::uint32_t>(from_.size())};
  for (const std::uint32_t from : from_) ++edges.first[from + 1];
  std::partial_sum(edges.first.begin(), edges.first.end(), edges.first.begin());
  std::vector<std::uint32_t> next(edges.first.begin(), edges.first.end() - 1);
  for (std::uint32_t edge = 0; edge < from_.size(); ++edge) edges.edge[next[from_[edge]]++] = edge;
  return edges;
}

std::variant<std::vector<std::uint32_t>, Cycle> OrderBuilder::levels() const {
  return levels(leaving());
}

std::variant<std::vector<std::uint32_t>, Cycle> OrderBuilder::levels(const Leaving& edges) const {
  const std::size_t n = events_.size();
  std::vector<std::uint32_t> waiting(n, 0), depth(n, 0), ready;
  for (const std::uint32_t to : to_) ++waiting[to];
  ready.reserve(n);
  for (std::uint32_t event = 0; event < n; ++event) {
    if (waiting[event] == 0) ready.push_back(event);
  }
  for (std::size_t head = 0; head < ready.size(); ++head) {
    const std::uint32_t event = ready[head];
    for (std::uint32_t i = edges.first[event]; i < edges.first[event + 1]; ++i) {
      const std::uint32_t next = to_[edges.edge[i]];
      depth[next] = std::max(depth[next], depth[event] + 1);
      if (--waiting[next] == 0) ready.push_back(next);
    }
  }
  if (ready.size() == n) return depth;
  std::vector<bool> resolved(n, false);
  for (const std::uint32_t event : ready) resolved[event] = true;
  return cycle_among(events_, from_, to_, resolved);
}

void OrderBuilder::add_nodes(Order& order, std::uint32_t ranks) {
  order.first_node_.assign(std::size_t{ranks} + 1, 0);
  for (const Event& event : order.events_)
    for_each_holder(event, ranks, [&](std::uint32_t rank) { ++order.first_node_[rank + 1]; });
  std::partial_sum(order.first_node_.begin(), order.first_node_.end(), order.first_node_.begin());
  order.nodes_.resize(order.first_node_.back());
  std::vector<std::uint32_t> next(order.first_node_.begin(), order.first_node_.end() - 1);
  for (std::uint32_t id = 0; id < order.events_.size(); ++id)
    for_each_holder(order.events_[id], ranks,
                    [&](std::uint32_t rank) { order.nodes_[next[rank]++] = EventId(id); });
}

std::variant<Order, Cycle> OrderBuilder::build() && {
  const Leaving edges = leaving();
  auto found = levels(edges);
  if (auto* cycle = std::get_if<Cycle>(&found)) return std::move(*cycle);
  const std::vector<std::uint32_t> number = place_by_level(std::get<std::vector<std::uint32_t>>(found));
  std::vector<std::uint32_t> numbered(number.size());
  for (std::uint32_t event = 0; event < number.size(); ++event) numbered[number[event]] = event;
  Order order;
  order.events_.reserve(number.size());
  order.after_.first.reserve(number.size() + 1);
  order.after_.event.reserve(from_.size());
  order.kinds_.reserve(from_.size());
  for (const std::uint32_t event : numbered) {
    order.events_.push_back(events_[event]);
    order.after_.first.push_back(static_cast<std::uint32_t>(order.kinds_.size()));
    for (std::uint32_t i = edges.first[event]; i < edges.first[event + 1]; ++i) {
      const std::uint32_t edge = edges.edge[i];
      ensure(number[event] < number[to_[edge]], "numbering by level is topological");
      order.after_.event.push_back(number[to_[edge]]);
      order.kinds_.push_back(kind_[edge]);
    }
  }
  order.after_.first.push_back(static_cast<std::uint32_t>(order.kinds_.size()));
  order.before_ = turned(order.after_);
  add_nodes(order, ranks_);
  return order;
}

}  // namespace spillway
