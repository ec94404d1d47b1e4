// An order read slot by slot is the order.
#include <gtest/gtest.h>

#include "schedule/skeleton.h"

namespace spillway::testing {
namespace {

void expect_same_slots(Skeleton skeleton, const RunShape& shape) {
  if (!check_shape(skeleton, shape).empty()) return;
  const std::vector<RankOrder> orders = rank_orders(skeleton, shape);
  for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) {
    RankOrder by_slot;
    for (std::uint64_t at = 0; at < 2 * std::uint64_t{shape.microbatches} * shape.chunks; ++at)
      by_slot.push_back(slot_at(skeleton, shape, RankId(rank), at));
    EXPECT_EQ(by_slot, orders[rank]) << to_string(skeleton) << " P=" << shape.ranks
                                     << " M=" << shape.microbatches << " chunks=" << shape.chunks
                                     << " group=" << shape.group << " rank " << rank;
  }
}

TEST(SlotAt, EverySmallShape) {
  for (std::uint32_t p = 1; p <= 5; ++p) {
    for (std::uint32_t m = 1; m <= 12; ++m) {
      for (std::uint32_t chunks = 1; chunks <= 3; ++chunks) {
        for (std::uint32_t group = 1; group <= m; ++group)
          expect_same_slots(SkeletonKind::OneFOneB, {p, m, chunks, group});
        expect_same_slots(SkeletonKind::GPipe, {p, m, chunks, p});
      }
    }
  }
}

TEST(SlotAt, IsOfFormulasAlone) {
  EXPECT_TRUE(follows_by_slot(SkeletonKind::OneFOneB));
  EXPECT_TRUE(follows_by_slot(SkeletonKind::GPipe));
  EXPECT_FALSE(follows_by_slot(SkeletonKind::ZbH1));
  EXPECT_THROW(slot_at(SkeletonKind::ZbH1, {2, 2, 1, 2}, RankId(0), 0), ContractBreach);
}

}  // namespace
}  // namespace spillway::testing
