// Checks every refusal of derive, with the exact text that a user reads.
#include <gtest/gtest.h>

#include "schedule/placed_orders.h"
#include "support/pipelines.h"

namespace spillway::testing {
namespace {

using Lines = std::vector<std::string>;

const Model kModel({{"enc", Role::Encoder, 4, false}, {"llm", Role::Backbone, 8, true}});

Lines violations(const Schedule& schedule, const Cut& cut, const DeriveOptions& options,
                 const Model& model = kModel) {
  Lines lines;
  for (const Violation& violation : check_derive(model, schedule, cut, options)) {
    lines.push_back(to_string(violation));
  }
  return lines;
}

Lines violations(const std::string& text, const Cut& cut, const DeriveOptions& options,
                 const Model& model = kModel) {
  return violations(schedule(text), cut, options, model);
}

TEST(CheckDerive, AcceptsTheContractsExample) {
  EXPECT_EQ(violations("transpose,1f1b", {{4}}, {.pipeline = {4, 3}}), Lines{});
  EXPECT_EQ(violations("1f1b", {}, {.pipeline = {4, 3}, .layers_per_rank = {5, 3, 2, 2}}), Lines{});
}

TEST(CheckDerive, SizesStartAtOne) {
  EXPECT_EQ(violations("1f1b", {}, {.pipeline = {0, 0, 0}}),
            (Lines{": /pipeline/ranks: expected at least 1, found 0",
                   ": /pipeline/microbatches: expected at least 1, found 0",
                   ": /pipeline/replicas: expected at least 1, found 0"}));
}

TEST(CheckDerive, TellsSizesAndScheduleTogether) {
  EXPECT_EQ(violations("1f1b,gpipe", {{4}}, {.pipeline = {2, 0}}).size(), 2U);
}

// An order has 1 + M + regions x (2PM + 2(P-1)M + P + 2M) events. Too many are refused before anything is
// built.
TEST(CheckDerive, RefusesWhatCannotBeHeld) {
  EXPECT_EQ(violations("1f1b", {}, {.pipeline = {1'000'000, 1'000'000}}),
            (Lines{": /pipeline: expected ranks x microbatches with at most 32000000 events, found 1000000 x "
                   "1000000, about 4000002000001 events"}));
  const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(violations("transpose,1f1b", {{4}}, {.pipeline = {most, most}}).size(), 1U);
  EXPECT_EQ(violations("transpose", {}, {.pipeline = {1, most}}).size(), 1U);
}

// 65536 ranks in 32768 waves have 2^32 stages, which is 0 in 32 bits.
TEST(CheckDerive, StagesDoNotWrap) {
  EXPECT_EQ(violations("wave(32768)", {}, {.pipeline = {65536, 1}}),
            (Lines{": /pipeline: expected ranks x microbatches with at most 32000000 events, found 65536 x "
                   "1, about 21474836482 events"}));
}

TEST(CheckDerive, CutIsHeldAgainstTheScheduleAsWritten) {
  EXPECT_EQ(violations("transpose,1f1b", {}, {.pipeline = {2, 2}}),
            (Lines{": /cut: expected 1 interior boundaries for 2 regions, found 0"}));
  EXPECT_EQ(violations("transpose,transpose,1f1b", {{2, 4}}, {.pipeline = {2, 2}}), Lines{});
}

TEST(CheckDerive, AStageHoldsALayer) {
  EXPECT_EQ(violations("1f1b,1f1b", {{4}}, {.pipeline = {6, 6}}),
            (Lines{": /cut: expected at least 6 layers in region enc, one per stage, found 4"}));
  EXPECT_EQ(violations("1f1b,1f1b", {{4}}, {.pipeline = {9, 9}}),
            (Lines{": /cut: expected at least 9 layers in region enc, one per stage, found 4",
                   ": /cut: expected at least 9 layers in region llm, one per stage, found 8"}));
  EXPECT_EQ(violations("transpose,1f1b", {{4}}, {.pipeline = {6, 6}}), Lines{}) << "the encoder is not split";
}

TEST(CheckDerive, LayersPerRankCoverEveryPipelinedStage) {
  EXPECT_EQ(
      violations("transpose,1f1b", {{4}}, {.pipeline = {4, 4}, .layers_per_rank = {2, 2, 2}}),
      (Lines{": /layers_per_rank: expected 4 numbers, one per stage of the pipelined regions, found 3"}));
  EXPECT_EQ(violations("1f1b,1f1b", {{4}}, {.pipeline = {2, 2}, .layers_per_rank = {1, 3, 6, 2}}), Lines{});
  EXPECT_EQ(
      violations("1f1b,1f1b", {{4}}, {.pipeline = {2, 2}, .layers_per_rank = {1, 2, 6, 3}}),
      (Lines{": /layers_per_rank: expected numbers that add up to the 4 layers of region enc, found 3",
             ": /layers_per_rank: expected numbers that add up to the 8 layers of region llm, found 9"}));
  EXPECT_EQ(violations("1f1b", {}, {.pipeline = {2, 2}, .layers_per_rank = {12, 0}}),
            (Lines{": /layers_per_rank/1: expected at least 1 layer, found 0"}));
}

// The 32-bit sum of these numbers would wrap round to 12, the right one.
TEST(CheckDerive, LayersPerRankDoNotWrap) {
  EXPECT_EQ(
      violations("1f1b", {}, {.pipeline = {2, 2}, .layers_per_rank = {4'294'967'295, 13}}),
      (Lines{": /layers_per_rank: expected numbers that add up to the 12 layers of region enc+llm, found "
             "4294967308"}));
}

TEST(CheckDerive, TellsWhatMegatronRefusesOfAStatedGroup) {
  EXPECT_EQ(violations("transpose,1f1b,1f1b", {{4, 8}}, {.pipeline = {4, 3}}), Lines{});
  EXPECT_EQ(violations("1f1b,1f1b", {{6}}, {.pipeline = {4, 10}}), Lines{});
  EXPECT_EQ(violations("1f1b,1f1b", {{6}}, {.pipeline = {4, 10}, .microbatch_group = 4}).size(), 1U);
  EXPECT_EQ(violations("1f1b,1f1b", {{6}}, {.pipeline = {4, 10}, .microbatch_group = 5}), Lines{});
  EXPECT_EQ(violations("gpipe,gpipe", {{6}}, {.pipeline = {4, 3}}), Lines{});
}

TEST(CheckDerive, TellsWhatDualPipeRefusesWhereverItStands) {
  const Lines odd{
      ": /pipeline/ranks: expected an even number for dualpipe, whose halves mirror each other, found 3"};
  EXPECT_EQ(violations("transpose,dualpipe", {{4}}, {.pipeline = {3, 8}}), odd);
  EXPECT_EQ(violations("dualpipe,transpose", {{8}}, {.pipeline = {3, 8}}), odd);
}

TEST(CheckDerive, FoldsAskForALayerPerStage) {
  EXPECT_EQ(violations("transpose,zb-v", {{4}}, {.pipeline = {5, 8}}),
            (Lines{": /cut: expected at least 10 layers in region llm, one per stage, found 8"}));
  EXPECT_EQ(violations("dualpipe", {}, {.pipeline = {6, 12}}), Lines{});
  EXPECT_EQ(
      violations("zb-v", {}, {.pipeline = {2, 2}, .layers_per_rank = {3, 3, 3}}),
      (Lines{": /layers_per_rank: expected 4 numbers, one per stage of the pipelined regions, found 3"}));
}

TEST(CheckDerive, AListedRegionComesWithItsOrderAndNothingBehindIt) {
  EXPECT_EQ(violations("listed", {}, {.pipeline = {2, 2}}),
            (Lines{": /schedule: expected an order for the listed region, found none"}));
  const Skeleton listed = listed_skeleton({{RankId(0)}, rank_orders(SkeletonKind::OneFOneB, {1, 1, 1, 1})});
  EXPECT_EQ(violations(Schedule{{listed, SkeletonKind::Transpose}}, {{4}}, {.pipeline = {1, 1}}),
            (Lines{": /schedule: expected no region after a listed one, and only transposed regions "
                   "before it, found listed,transpose"}));
}

TEST(CheckDerive, MixedSkeletonsInARunAreAnError) {
  EXPECT_EQ(
      violations("1f1b,gpipe", {{4}}, {.pipeline = {2, 2}}),
      (Lines{
          ": /schedule: expected one skeleton in a run of adjacent pipelined regions (region 1 began it with "
          "1f1b; interleaved runs of mixed skeletons have no defined meaning), found gpipe in region 2"}));
}

TEST(Derive, HoldsItsContract) {
  EXPECT_THROW(derive(kModel, schedule("1f1b"), {}, {.pipeline = {0, 1}}), ContractBreach);
  EXPECT_THROW(
      derive(kModel, schedule("transpose,1f1b"), {{4}}, {.pipeline = {2, 2}, .owners = {{RankId(0)}}}),
      ContractBreach);
  EXPECT_THROW(derive(kModel, schedule("transpose,1f1b"), {{4}},
                      {.pipeline = {2, 2}, .owners = {{RankId(0), RankId(2)}}}),
               ContractBreach);
  EXPECT_THROW(derive(kModel, schedule("1f1b"), {}, {.pipeline = {2, 2, 4}, .joined_replicas = {3, 1}}),
               ContractBreach);
}

TEST(Derive, SplitsLayersEvenlyTheRemainderToTheEarlier) {
  const Derived derived = derive(kModel, schedule("1f1b"), {}, {.pipeline = {5, 2}});
  std::vector<std::uint32_t> sizes;
  for (const Stage& stage : derived.stages) sizes.push_back(stage.layers.size());
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{3, 3, 2, 2, 2}));
}

}  // namespace
}  // namespace spillway::testing
