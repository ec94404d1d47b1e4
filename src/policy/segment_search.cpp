// Climbs from interleaved 1F1B's order: each try is one greedy step (segment_step.h), whose graph is not
// known before it has been taken.
//
// Source: DIP (arXiv 2504.14145), online planning: search over segment order, greedy dual-queue interleaving.
// Test: tests/systems/segment_search_test.cpp holds it against the same search by a plain simulation.
#include "policy/segment_search.h"

#include <algorithm>
#include <utility>

#include "policy/segment_step.h"
#include "workload/random_stream.h"

namespace spillway {
namespace {

// Priorities of forwards, items numbered through: as interleaved 1F1B takes them on the first rank.
std::vector<std::uint32_t> by_position(const SegmentShape& shape) {
  std::vector<std::uint32_t> first{0};  // of each segment
  for (std::uint32_t s = 0; s < shape.segments; ++s) first.push_back(first.back() + shape.items(s));
  std::vector<std::uint32_t> priorities(first.back());
  std::uint32_t next = 0;
  const std::vector<RankOrder> orders = interleaved_wholes(shape);
  for (const Slot& slot : orders.front()) {
    if (slot.action != Action::Forward) continue;
    const std::uint32_t count = shape.items_of_one(slot.chunk);
    for (std::uint32_t i = 0; i < count; ++i)
      priorities[first[slot.chunk] + slot.microbatch.index() * count + i] = next++;
  }
  return priorities;
}

}  // namespace

std::vector<RankOrder> searched_segments(const SegmentShape& shape, const SegmentTimes& times,
                                         std::uint32_t tries) {
  SegmentStep step(shape, times);
  std::vector<std::uint32_t> priorities = by_position(shape);
  RandomStream random({20260427});
  const auto pick = [&]() -> std::uint32_t& {
    const std::size_t count = priorities.size();
    const double place = random.uniform() * static_cast<double>(count);
    return priorities[std::min(static_cast<std::size_t>(place), count - 1)];
  };
  Seconds least = step.run(priorities);
  step.keep();
  for (std::uint32_t tried = 0; tried < tries; ++tried) {
    std::uint32_t& a = pick();
    std::uint32_t& b = pick();
    std::swap(a, b);
    if (const Seconds end = step.run(priorities, least); end < least) {
      least = end;
      step.keep();
    } else {
      std::swap(a, b);
    }
  }
  return step.orders();
}

std::uint32_t affordable_tries(const SegmentShape& shape) {
  double items = 0;
  for (std::uint32_t s = 0; s < shape.segments; ++s) items += shape.items(s);
  const double each = items * shape.ranks * shape.ranks;
  return static_cast<std::uint32_t>(std::clamp(4e6 / each, 4.0, 64.0));
}

}  // namespace spillway
