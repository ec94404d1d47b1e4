#include "timing/essential_edges.h"

namespace spillway {
namespace {

constexpr std::uint32_t kUnset = static_cast<std::uint32_t>(-1);

// `latest_on_rank` is scratch space; it is unset on every rank before and after the call.
void append_essential(const Order& order, EventId id, std::vector<std::uint32_t>& predecessors,
                      std::vector<std::uint32_t>& latest_on_rank) {
  const auto all = order.predecessors(id);
  if (all.size() <= 2) {
    for (const std::uint32_t predecessor : all) predecessors.push_back(predecessor);
    return;
  }
  for (std::uint32_t predecessor : all) {
    const Event& event = order.event(EventId(predecessor));
    if (!event.computes()) continue;
    std::uint32_t& latest = latest_on_rank[event.rank.index()];
    if (latest == kUnset || latest < predecessor) latest = predecessor;
  }
  for (std::uint32_t predecessor : all) {
    const Event& event = order.event(EventId(predecessor));
    if (!event.computes() || latest_on_rank[event.rank.index()] == predecessor)
      predecessors.push_back(predecessor);
  }
  for (std::uint32_t predecessor : all)
    latest_on_rank[order.event(EventId(predecessor)).rank.index()] = kUnset;
}

}  // namespace

EssentialEdges essential_edges(const Order& order) {
  const auto n = static_cast<std::uint32_t>(order.event_count());
  std::vector<std::uint32_t> latest_on_rank(order.rank_count(), kUnset);
  EssentialEdges edges;
  edges.first.reserve(std::size_t{n} + 1);
  edges.predecessors.reserve(order.edge_count());
  for (std::uint32_t index = 0; index < n; ++index) {
    edges.first.push_back(static_cast<std::uint32_t>(edges.predecessors.size()));
    append_essential(order, EventId(index), edges.predecessors, latest_on_rank);
  }
  edges.first.push_back(static_cast<std::uint32_t>(edges.predecessors.size()));
  return edges;
}

}  // namespace spillway
