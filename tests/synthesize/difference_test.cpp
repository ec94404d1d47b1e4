// What a found order does differently from a named one, against the slow obvious count.
#define SPILLWAY_PROPERTY_CASES "60"
#include "synthesize/difference.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "schedule/placed_orders.h"
#include "support/property.h"

namespace spillway::testing {
namespace {

using Places = std::vector<std::uint32_t>;

// One rank that takes the forwards of these microbatches one after the other.
ScheduleSpec in_turn(const Places& microbatches) {
  RankOrder order;
  for (const std::uint32_t m : microbatches) order.push_back({Action::Forward, 0, MicrobatchId(m)});
  PlacedOrders placed;
  placed.orders = {order};
  return {.name = "", .schedule = Schedule{{Skeleton(placed)}}, .cut = {}};
}

// The fewest passes without which the rest stands in ascending order: every set of them is tried.
std::uint32_t fewest_moves(const Places& order) {
  std::uint32_t most = 0;
  for (std::uint32_t kept = 0; kept < 1U << order.size(); ++kept) {
    Places stay;
    for (std::size_t i = 0; i < order.size(); ++i)
      if (kept >> i & 1) stay.push_back(order[i]);
    if (std::ranges::is_sorted(stay)) most = std::max(most, static_cast<std::uint32_t>(std::popcount(kept)));
  }
  return static_cast<std::uint32_t>(order.size()) - most;
}

TEST(OrderDifference, OnePassThatMovesFarChangesPlaceAlone) {
  const ScheduleSpec named = in_turn({0, 1, 2, 3, 4, 5}), found = in_turn({5, 0, 1, 2, 3, 4});
  EXPECT_EQ(difference(named, found).changed_place, 1u);
  EXPECT_EQ(difference(named, found).moved, 2u);  // two passes follow another one
  EXPECT_EQ(difference(named, named).changed_place, 0u);
}

RC_GTEST_PROP(OrderDifferenceProperty, TheFewestPassesChangePlace, ()) {
  Places order(*rc::gen::inRange<std::size_t>(1, 10));
  std::iota(order.begin(), order.end(), 0);
  const ScheduleSpec named = in_turn(order);
  for (std::size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  RC_ASSERT(difference(named, in_turn(order)).changed_place == fewest_moves(order));
}

}  // namespace
}  // namespace spillway::testing
