#include "timing/order_bound.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "timing/order_chains.h"

namespace spillway {
namespace {

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
    : order_(order), needed_(needed_in_every_order(order)), passes_(order.rank_count()) {
  for (std::uint32_t id = 0; id < order.event_count(); ++id)
    if (const Event& event = order.event(EventId(id)); event.computes())
      passes_[event.rank.index()].emplace_back(id);
}

OrderBound::Times OrderBound::heads(const Durations& durations) const {
  return chain_heads(order_, needed_, durations);
}

OrderBound::Times OrderBound::tails(const Durations& durations) const {
  return chain_tails(order_, needed_, durations);
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
