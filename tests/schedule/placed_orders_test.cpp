// Rank orders as lists and back, for every skeleton that has an order.
#include "schedule/placed_orders.h"

#include <gtest/gtest.h>

#include "dualpipev_list.h"
#include "lists_support.h"
#include "schedule/schedule.h"
#include "support/skeletons.h"
#include "support/timed_skeleton.h"

namespace spillway {
namespace {

using testing::lists_of;

std::string listed(Skeleton skeleton, const RunShape& shape) {
  return to_string(to_action_lists(skeleton, shape, rank_orders(skeleton, shape)));
}

TEST(ToActionLists, GoldenOneFOneB) {
  EXPECT_EQ(listed(SkeletonKind::OneFOneB, {2, 3, 1, 2}),
            "0F0,0F1,0B0,0F2,0B1,0B2\n1F0,1B0,1F1,1B1,1F2,1B2\n");
}

TEST(ToActionLists, GoldenTwoChunksPerRank) {
  EXPECT_EQ(listed(SkeletonKind::GPipe, {2, 1, 2, 2}), "0F0,2F0,2B0,0B0\n1F0,3F0,3B0,1B0\n");
}

const std::vector<RankOrder> kTwoChunks = {
    {{Action::Forward, 0, MicrobatchId(0)},
     {Action::ForwardBackward, 1, MicrobatchId(0), 0, MicrobatchId(1)}},
    {{Action::BackwardInput, 0, MicrobatchId(2)}, {Action::BackwardWeight, 1, MicrobatchId(2)}}};

TEST(ToActionLists, StagesFollowTheFold) {
  const RunShape shape{2, 3, 2, 2};
  EXPECT_EQ(to_string(to_action_lists(SkeletonKind::OneFOneB, shape, kTwoChunks)),
            "0F0,(2F0;0B1)OVERLAP_F_B\n1I2,3W2\n");
  EXPECT_EQ(to_string(to_action_lists(SkeletonKind::DualPipeV, shape, kTwoChunks)),
            "0F0,(3F0;0B1)OVERLAP_F_B\n1I2,2W2\n");
  // The second copy's stages are 2 and 3: rank 0 holds stages 0 and 1' = 3.
  EXPECT_EQ(to_string(to_action_lists(SkeletonKind::DualPipe, shape, kTwoChunks)),
            "0F0,(3F0;0B1)OVERLAP_F_B\n1I2,2W2\n");
}

TEST(PlacedOrders, StagesAndChunksComeFromTheRows) {
  const PlacedOrders placed =
      placed_orders(lists_of("5F0,,1F0,5SEND_F0,1B0\n2F0,0F1\n,(4F1;3B0)OVERLAP_F_B\n"));
  EXPECT_EQ(placed.stage_rank,
            (std::vector<RankId>{RankId(1), RankId(0), RankId(1), RankId(2), RankId(2), RankId(0)}));
  EXPECT_EQ(placed.orders, (std::vector<RankOrder>{
                               {{Action::Forward, 1, MicrobatchId(0)},
                                {Action::Forward, 0, MicrobatchId(0)},
                                {Action::Backward, 0, MicrobatchId(0)}},
                               {{Action::Forward, 1, MicrobatchId(0)}, {Action::Forward, 0, MicrobatchId(1)}},
                               {{Action::ForwardBackward, 1, MicrobatchId(1), 0, MicrobatchId(0)}}}));
}

// The placement that is read back puts the fold's stages on each rank, and the orders are the same.
void expect_read_back(Skeleton skeleton, const RunShape& shape) {
  const std::vector<RankOrder> orders = rank_orders(skeleton, shape);
  const ActionLists lists = to_action_lists(skeleton, shape, orders);
  const PlacedOrders placed = placed_orders(lists_of(to_string(lists)));
  EXPECT_EQ(placed.orders, orders) << to_string(skeleton);
  ASSERT_EQ(placed.stage_rank.size(), std::size_t{shape.ranks} * shape.chunks);
  if (fold_of(skeleton) == Fold::Bidirectional) return;
  EXPECT_EQ(to_action_lists(placed), lists) << to_string(skeleton);
  for (std::uint32_t rank = 0; rank < shape.ranks; ++rank)
    for (std::uint32_t chunk = 0; chunk < shape.chunks; ++chunk)
      EXPECT_EQ(placed.stage_rank[stage_of_chunk(fold_of(skeleton), shape.ranks, chunk, rank)], RankId(rank));
  EXPECT_EQ(check_action_lists(lists, shape.ranks, shape.microbatches), std::vector<Violation>{})
      << to_string(skeleton);
}

// Every skeleton's lists read back; DualPipe's two copies do not form one pipeline.
TEST(PlacedOrders, EverySkeletonReadsBack) {
  for (const char* text : testing::kPipelined) {
    const Skeleton skeleton = std::get<Schedule>(parse_schedule(text)).skeletons[0];
    for (std::uint32_t ranks : {1U, 2U, 4U, 8U})
      for (std::uint32_t microbatches : {2 * ranks, 4 * ranks}) {
        if (!check_shape(skeleton, testing::shape_of(skeleton, ranks, microbatches)).empty()) continue;
        expect_read_back(skeleton, {ranks, microbatches, chunks_of(skeleton), ranks});
        if (weaves(skeleton)) expect_read_back(skeleton, {ranks, microbatches, 3, ranks});
      }
  }
}

// The lists equal PyTorch's own, byte for byte.
TEST(PlacedOrders, DualPipeVIsPyTorchs) {
  const RunShape shape{4, 10, 2, 4};
  const Skeleton skeleton = SkeletonKind::DualPipeV;
  EXPECT_EQ(to_string(to_action_lists(skeleton, shape, rank_orders(skeleton, shape))),
            testing::kDualPipeV4Ranks10Microbatches);
}

}  // namespace
}  // namespace spillway
