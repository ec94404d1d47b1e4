// The search of optimize/segment_search.h as a simulation that caches nothing: slow and obvious.
//
// At every turn it looks through every queue of every rank. The rank that can begin first takes an item from
// its queues, so no later item could have begun earlier. A forward follows its forward on the previous rank;
// on a segment's first rank it follows the last rank of the previous segment. Backwards run the other way. A
// try costs O(items x ranks).
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "optimize/segment_search.h"
#include "workload/random_stream.h"

namespace spillway::testing {
namespace plain_segments {

using Item = SegmentItem;

inline constexpr Seconds kNever(std::numeric_limits<double>::infinity());

// Priorities of forwards by segment and item; the lowest goes first.
using Priorities = std::vector<std::vector<std::uint32_t>>;

struct Ready {
  Seconds since;
  std::uint32_t priority;
  Item item;
};

// The items that a rank may begin in one direction.
class Queue {
 public:
  void add(const Ready& ready) { all_.push_back(ready); }
  bool empty() const { return all_.empty(); }

  // Returns the first by priority of the items ready at `time`, or else of those that are ready next.
  const Ready& next(Seconds time) const {
    const Ready* best = &all_.front();
    for (const Ready& one : all_)
      if (before(one, *best, time)) best = &one;
    return *best;
  }
  void take(const Ready& taken) {
    const auto same = [&](const Ready& one) {
      return one.item.segment == taken.item.segment && one.item.number == taken.item.number;
    };
    all_.erase(std::ranges::find_if(all_, same));
  }

 private:
  static bool before(const Ready& a, const Ready& b, Seconds time) {
    const Seconds at_a = std::max(a.since, time), at_b = std::max(b.since, time);
    return at_a != at_b ? at_a < at_b : a.priority < b.priority;
  }

  std::vector<Ready> all_;
};

struct Rank {
  Queue forwards, backwards;
  Queue held_back;  // forwards of the first segment, while the limit of items in flight is reached
  std::uint32_t in_flight = 0;
  Seconds free_at = {};
  bool forward_last = false;
  std::vector<std::pair<Item, bool>> order;  // the item, and whether it is a backward
};

class Step {
 public:
  Step(const SegmentShape& shape, const SegmentTimes& times, const Priorities& priorities,
       std::uint32_t most_in_flight)
      : shape_(shape), times_(times), priorities_(priorities), most_(most_in_flight), ranks_(shape.ranks) {
    for (std::uint32_t s = 0; s < shape.segments; ++s) {
      missing_.emplace_back(shape.items(s), s == shape.joined && s > 0 ? shape.parts : 1);
      arrived_.emplace_back(shape.items(s));
    }
    for (std::uint32_t item = 0; item < shape.items(0); ++item) offer_forward(0, {0, item}, Seconds());
  }

  // Returns the end of the last item, or kNever if so many microbatches are in flight that no part can join.
  Seconds run() {
    Seconds end;
    std::size_t left = 0;
    for (std::uint32_t s = 0; s < shape_.segments; ++s)
      left += std::size_t{2} * shape_.items(s) * shape_.ranks;
    for (; left > 0; --left) {
      const std::optional<std::uint32_t> rank = first_to_begin();
      if (!rank) return kNever;
      end = std::max(end, advance(*rank));
    }
    return end;
  }

  const std::vector<Rank>& ranks() const { return ranks_; }

 private:
  std::uint32_t priority(Item item, bool backward) const {
    if (!backward) return priorities_[item.segment][item.number];
    // The oldest microbatch goes first, and in it the segment nearest to the input.
    const std::uint32_t whole = item.segment < shape_.joined ? item.number / shape_.parts : item.number;
    return whole * shape_.segments + item.segment;
  }

  void offer_forward(std::uint32_t rank, Item item, Seconds since) {
    const Ready ready{since, priority(item, false), item};
    if (item.segment == 0 && ranks_[rank].in_flight >= most_)
      ranks_[rank].held_back.add(ready);
    else
      admit(rank, ready);
  }

  void admit(std::uint32_t rank, const Ready& ready) {
    if (ready.item.segment == 0) ++ranks_[rank].in_flight;
    ranks_[rank].forwards.add(ready);
  }

  void offer_backward(std::uint32_t rank, Item item, Seconds since) {
    ranks_[rank].backwards.add({since, priority(item, true), item});
  }

  // Returns what can begin first; on a tie, the other direction than last time.
  std::pair<Seconds, bool> next_of(const Rank& rank) const {
    const auto begin = [&](const Queue& queue) {
      return queue.empty() ? kNever : std::max(queue.next(rank.free_at).since, rank.free_at);
    };
    const Seconds forward = begin(rank.forwards), backward = begin(rank.backwards);
    const bool takes_backward = backward < forward || (backward == forward && rank.forward_last);
    return {std::min(forward, backward), takes_backward};
  }

  std::optional<std::uint32_t> first_to_begin() const {
    std::optional<std::uint32_t> first;
    Seconds least = kNever;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
      if (const Seconds begin = next_of(ranks_[rank]).first; begin < least) {
        least = begin;
        first = rank;
      }
    return first;
  }

  Seconds advance(std::uint32_t at) {
    Rank& rank = ranks_[at];
    const auto [begin, backward] = next_of(rank);
    Queue& queue = backward ? rank.backwards : rank.forwards;
    const Ready taken = queue.next(rank.free_at);
    queue.take(taken);
    const auto& takes = backward ? times_.backward : times_.forward;
    rank.free_at = begin + takes[taken.item.segment][at][taken.item.number];
    rank.forward_last = !backward;
    rank.order.emplace_back(taken.item, backward);
    if (backward)
      pass_back(at, taken.item, rank.free_at);
    else
      pass_on(at, taken.item, rank.free_at);
    return rank.free_at;
  }

  void pass_on(std::uint32_t at, Item item, Seconds end) {
    if (at + 1 < shape_.ranks) return offer_forward(at + 1, item, end + times_.transfer);
    if (item.segment + 1 == shape_.segments) return offer_backward(at, item, end);
    const bool joins = item.segment + 1 == shape_.joined;
    const Item next{item.segment + 1, joins ? item.number / shape_.parts : item.number};
    Seconds& since = arrived_[next.segment][next.number];
    since = std::max(since, end + times_.transfer);
    if (--missing_[next.segment][next.number] == 0) offer_forward(0, next, since);
  }

  void pass_back(std::uint32_t at, Item item, Seconds end) {
    if (item.segment == 0) let_in(at, end);
    if (at > 0) return offer_backward(at - 1, item, end + times_.transfer);
    if (item.segment == 0) return;
    const bool parts = item.segment == shape_.joined;
    const std::uint32_t count = parts ? shape_.parts : 1;
    for (std::uint32_t part = 0; part < count; ++part)
      offer_backward(shape_.ranks - 1, {item.segment - 1, item.number * count + part}, end + times_.transfer);
  }

  void let_in(std::uint32_t at, Seconds time) {
    Rank& rank = ranks_[at];
    --rank.in_flight;
    if (rank.held_back.empty()) return;
    Ready next = rank.held_back.next(time);
    rank.held_back.take(next);
    next.since = std::max(next.since, time);
    admit(at, next);
  }

  const SegmentShape& shape_;
  const SegmentTimes& times_;
  const Priorities& priorities_;
  std::uint32_t most_;
  std::vector<Rank> ranks_;
  std::vector<std::vector<std::uint32_t>> missing_;  // by segment and item
  std::vector<std::vector<Seconds>> arrived_;
};

inline Priorities by_position(const SegmentShape& shape) {
  Priorities priorities;
  for (std::uint32_t s = 0; s < shape.segments; ++s) priorities.emplace_back(shape.items(s));
  std::uint32_t next = 0;
  const std::vector<RankOrder> orders = interleaved_wholes(shape);
  for (const Slot& slot : orders.front()) {
    if (slot.action != Action::Forward) continue;
    const std::uint32_t count = shape.items_of_one(slot.chunk);
    for (std::uint32_t i = 0; i < count; ++i)
      priorities[slot.chunk][slot.microbatch.index() * count + i] = next++;
  }
  return priorities;
}

// Returns the most items that the first rank has in flight in its first segment.
inline std::uint32_t most_in_flight(const SegmentShape& shape) {
  std::uint32_t now = 0, most = 0;
  const std::vector<RankOrder> orders = interleaved_wholes(shape);
  for (const Slot& slot : orders.front()) {
    if (slot.chunk != 0) continue;
    if (slot.action == Action::Forward)
      most = std::max(most, ++now);
    else
      --now;
  }
  return most * shape.items_of_one(0);
}

inline std::vector<RankOrder> orders_of(const SegmentShape& shape, const std::vector<Rank>& ranks) {
  std::vector<RankOrder> orders;
  for (const Rank& rank : ranks) {
    RankOrder& order = orders.emplace_back();
    for (const auto& [item, backward] : rank.order)
      append_slots(shape, item, backward ? Action::Backward : Action::Forward, order);
  }
  return orders;
}

}  // namespace plain_segments

inline std::vector<RankOrder> plainly_searched_segments(const SegmentShape& shape, const SegmentTimes& times,
                                                        std::uint32_t tries) {
  using namespace plain_segments;
  const std::uint32_t in_flight = most_in_flight(shape);
  Priorities priorities = by_position(shape);
  std::uint32_t all = 0, round = 0;
  for (std::uint32_t s = 0; s < shape.segments; ++s) {
    all += shape.items(s);
    round += shape.ranks * shape.items_of_one(s);
  }
  const auto with_priority = [&](std::size_t place) -> std::uint32_t& {
    for (auto& of_segment : priorities)
      for (std::uint32_t& one : of_segment)
        if (one == place) return one;
    throw std::logic_error("every place is taken");
  };
  RandomStream random({20260427});
  const auto pick = [&](std::size_t below) {
    return std::min(static_cast<std::size_t>(random.uniform() * static_cast<double>(below)), below - 1);
  };
  Step first(shape, times, priorities, in_flight);
  Seconds least = first.run();
  std::vector<RankOrder> best = orders_of(shape, first.ranks());
  for (std::uint32_t tried = 0; tried < tries; ++tried) {
    const std::size_t farthest = std::min(round, all - 1);
    const std::size_t apart = farthest == 0 ? 0 : 1 + pick(farthest), place = pick(all - apart);
    std::uint32_t &one = with_priority(place), &other = with_priority(place + apart);
    std::swap(one, other);
    Step step(shape, times, priorities, in_flight);
    if (const Seconds end = step.run(); end < least) {
      least = end;
      best = orders_of(shape, step.ranks());
    } else {
      std::swap(one, other);
    }
  }
  return best;
}

}  // namespace spillway::testing
