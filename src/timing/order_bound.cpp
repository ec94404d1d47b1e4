#include "timing/order_bound.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

namespace spillway {
namespace {

bool has_microbatch(const Event& event) {
  return event.computes() || event.kind == EventKind::Collective || event.kind == EventKind::Loss;
}

bool is_of(const Event& event, MicrobatchId microbatch) {
  return event.microbatch == microbatch ||
         (event.kind == EventKind::ForwardBackward && event.peer_microbatch == microbatch);
}

bool share_microbatch(const Event& from, const Event& to) {
  if (!has_microbatch(from) || !has_microbatch(to)) return false;
  return is_of(to, from.microbatch) ||
         (from.kind == EventKind::ForwardBackward && is_of(to, from.peer_microbatch));
}

// Returns true if every order has this edge.
bool is_needed(const Order& order, const Edge& edge) {
  const Event& from = order.event(edge.from);
  const Event& to = order.event(edge.to);
  if (to.kind == EventKind::StepBarrier || edge.kind == EdgeKind::Accumulate) return true;
  return edge.kind != EdgeKind::Sequence && share_microbatch(from, to);
}

// Edges are grouped by their source, so rows are filled from counts.
OrderRows needed_rows(const Order& order) {
  std::vector<Edge> edges = order.edges();
  std::erase_if(edges, [&](const Edge& edge) { return !is_needed(order, edge); });
  OrderRows rows{std::vector<std::uint32_t>(order.event_count() + 1),
                 std::vector<std::uint32_t>(edges.size())};
  for (const Edge& edge : edges) ++rows.first[edge.to.index() + 1];
  std::partial_sum(rows.first.begin(), rows.first.end(), rows.first.begin());
  std::vector<std::uint32_t> next(rows.first.begin(), rows.first.end() - 1);
  for (const Edge& edge : edges) rows.event[next[edge.to.index()]++] = edge.from.index();
  return rows;
}

// Gives every member of a joined group the latest time of its members.
void level(PerEvent<Seconds>& times, EventId id, std::uint32_t joined) {
  for (std::uint32_t first = 0; joined > 1 && first < times.lanes(); first += joined) {
    Seconds latest;
    for (std::uint32_t lane = first; lane < first + joined; ++lane)
      latest = std::max(latest, times.at(id, lane));
    for (std::uint32_t lane = first; lane < first + joined; ++lane) times.at(id, lane) = latest;
  }
}

// A pass that has begun or may begin. The one with the longest tail goes first.
struct Waiting {
  Seconds tail, left;

  // Equal tails are told apart, so that the rounding of the sums is the same for every library's queue.
  friend bool operator<(const Waiting& a, const Waiting& b) {
    return a.tail != b.tail ? a.tail < b.tail : a.left < b.left;
  }
};

}  // namespace

OrderBound::OrderBound(const Order& order)
    : order_(order), needed_(needed_rows(order)), passes_(order.rank_count()) {
  for (std::uint32_t id = 0; id < order.event_count(); ++id)
    if (const Event& event = order.event(EventId(id)); event.computes())
      passes_[event.rank.index()].emplace_back(id);
}

// Returns when each event could start if its rank were free.
OrderBound::Times OrderBound::heads(const Durations& durations) const {
  Times start(durations.events(), durations.lanes());
  for (std::uint32_t index = 0; index < durations.events(); ++index) {
    const EventId id(index);
    for (const std::uint32_t before : needed_.of(id))
      for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane)
        start.at(id, lane) = std::max(start.at(id, lane),
                                      start.at(EventId(before), lane) + durations.at(EventId(before), lane));
    level(start, id, order_.event(id).joined_replicas);
  }
  return start;
}

// Returns how long the step goes on at least when each event has ended.
OrderBound::Times OrderBound::tails(const Durations& durations) const {
  Times after(durations.events(), durations.lanes());
  for (auto index = static_cast<std::uint32_t>(durations.events()); index-- > 0;) {
    const EventId id(index);
    level(after, id, order_.event(id).joined_replicas);
    for (const std::uint32_t before : needed_.of(id))
      for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane)
        after.at(EventId(before), lane) =
            std::max(after.at(EventId(before), lane), after.at(id, lane) + durations.at(id, lane));
  }
  return after;
}

StepBound OrderBound::of(const Durations& durations) const {
  const Times head = heads(durations), tail = tails(durations);
  StepBound bound{};
  std::vector<ReleasedPass> passes;
  for (std::uint32_t rank = 0; rank < passes_.size(); ++rank) {
    for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane) {
      passes.clear();
      for (const EventId id : passes_[rank])
        passes.push_back({head.at(id, lane), durations.at(id, lane), tail.at(id, lane)});
      if (const Seconds step = one_machine_bound(passes); step > bound.step)
        bound = {step, RankId(rank), lane};
    }
  }
  return bound;
}

Seconds one_machine_bound(std::vector<ReleasedPass> passes) {
  std::ranges::stable_sort(passes, {}, &ReleasedPass::head);
  std::priority_queue<Waiting> waiting;
  Seconds time, end;
  for (std::size_t next = 0; next < passes.size() || !waiting.empty();) {
    if (waiting.empty()) time = std::max(time, passes[next].head);
    for (; next < passes.size() && passes[next].head <= time; ++next)
      waiting.push({passes[next].tail, passes[next].duration});
    const Waiting one = waiting.top();
    waiting.pop();
    if (next < passes.size() && time + one.left > passes[next].head) {
      waiting.push({one.tail, one.left - (passes[next].head - time)});
      time = passes[next].head;
    } else {
      time += one.left;
      end = std::max(end, time + one.tail);
    }
  }
  return end;
}

}  // namespace spillway
