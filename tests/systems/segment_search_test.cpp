// Tests the search for an order of segments.
#include "optimize/segment_search.h"

#include <gtest/gtest.h>

#include "plain_segment_search.h"
#include "schedule/action_list.h"
#include "schedule/placed_orders.h"
#include "support/property.h"

namespace spillway {
namespace {

std::uint32_t number(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::inRange<std::uint32_t>(low, high + 1);
}

SegmentShape random_shape(std::uint32_t most_rounds) {
  SegmentShape shape{number(1, 4), 0, number(2, 4), 0, number(1, 3)};
  shape.microbatches = shape.ranks * number(1, most_rounds);
  shape.joined = number(0, shape.segments - 1);
  if (shape.joined == 0) shape.parts = 1;
  return shape;
}

// With few different times items often tie, and the tie rule decides. Other times each have a rounding error.
SegmentTimes random_times(const SegmentShape& shape) {
  const std::uint32_t most = number(0, 1) > 0 ? 3 : 1000000;
  const auto time = [&] { return Seconds(number(0, most) * 1e-3); };
  SegmentTimes times{{}, {}, time()};
  for (auto* passes : {&times.forward, &times.backward})
    for (std::uint32_t s = 0; s < shape.segments; ++s) {
      auto& of_segment = passes->emplace_back(shape.ranks);
      for (auto& of_rank : of_segment)
        for (std::uint32_t item = 0; item < shape.items(s); ++item) of_rank.push_back(time());
    }
  return times;
}

RC_GTEST_PROP(SegmentSearch, FindsThePlainSearchsOrder, ()) {
  const SegmentShape shape = random_shape(6);
  const SegmentTimes times = random_times(shape);
  const std::uint32_t tries = number(0, 24);
  RC_ASSERT(searched_segments(shape, times, tries) ==
            testing::plainly_searched_segments(shape, times, tries));
}

// Same input, same order; each item runs once, forwards before backwards; nothing waits for itself.
RC_GTEST_PROP(SegmentSearch, MakesOrdersThatRun, ()) {
  const SegmentShape shape = random_shape(3);
  const SegmentTimes times = random_times(shape);
  PlacedOrders placed{{}, searched_segments(shape, times, 8)};
  RC_ASSERT(placed.orders == searched_segments(shape, times, 8));
  for (std::uint32_t stage = 0; stage < shape.segments * shape.ranks; ++stage)
    placed.stage_rank.emplace_back(stage % shape.ranks);
  const std::uint32_t parts = shape.microbatches * shape.parts;
  RC_ASSERT(check_action_lists(to_action_lists(placed), shape.ranks, parts).empty());
  placed.orders = interleaved_segments(shape);
  RC_ASSERT(check_action_lists(to_action_lists(placed), shape.ranks, parts).empty());
}

}  // namespace
}  // namespace spillway
