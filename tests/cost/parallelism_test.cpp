// Expert-parallel groups and the replicas they join.
#include "cost/network/parallelism.h"

#include <gtest/gtest.h>

#include <limits>

#include "small_job.h"

namespace spillway {
namespace {

TEST(JoinedReplicas, AreOneWhileTheGroupFitsARank) {
  EXPECT_EQ(joined_replicas(sizes(4, 1)), 1U);
  EXPECT_EQ(joined_replicas(sizes(4, 2)), 1U);
  EXPECT_EQ(joined_replicas(sizes(4, 4)), 1U);
}

TEST(JoinedReplicas, AreAsManyAsTheGroupSpans) {
  EXPECT_EQ(joined_replicas(sizes(4, 8)), 2U);
  EXPECT_EQ(joined_replicas(sizes(4, 32)), 8U);
  EXPECT_EQ(joined_replicas(sizes(1, 8)), 8U);
}

TEST(CheckParallelism, AcceptsWhatDivides) {
  EXPECT_TRUE(check_parallelism(sizes(4, 32), 8).empty());
  EXPECT_TRUE(check_parallelism(sizes(4, 8), 8).empty());
  EXPECT_TRUE(check_parallelism(sizes(4, 2), 3).empty());
}

Violation only_violation(const Parallelism& parallelism, std::uint32_t replicas) {
  const std::vector<Violation> violations = check_parallelism(parallelism, replicas);
  EXPECT_EQ(violations.size(), 1U);
  return violations.empty() ? Violation{} : violations.front();
}

TEST(CheckParallelism, WantsExpertGroupsToTileTheStage) {
  EXPECT_EQ(only_violation(sizes(4, 3), 8),
            (Violation{"", "/parallel/expert", "a divisor of the rank's 4 devices", "3"}));
  EXPECT_EQ(only_violation(sizes(4, 10), 8).pointer, "/parallel/expert");
  EXPECT_EQ(
      only_violation(sizes(4, 12), 8),
      (Violation{"", "/parallel/expert", "the rank's 4 devices times a divisor of the 8 replicas", "12"}));
  EXPECT_EQ(only_violation(sizes(4, 64), 8).pointer, "/parallel/expert");
}

TEST(CheckParallelism, CountsContextRanksAmongTheMembers) {
  Parallelism parallelism = sizes(2, 4);
  parallelism.context = 2;
  EXPECT_TRUE(check_parallelism(parallelism, 1).empty());
  EXPECT_EQ(joined_replicas(parallelism), 1U);
  parallelism.expert = 8;
  EXPECT_EQ(joined_replicas(parallelism), 2U);
}

TEST(CheckParallelism, RefusesZeroAndBoundlessSizes) {
  Parallelism parallelism = sizes(4, 4);
  parallelism.context = 0;
  EXPECT_EQ(only_violation(parallelism, 8).pointer, "/parallel/context");
  parallelism.context = 1U << 30;  // no overflow
  EXPECT_EQ(only_violation(parallelism, 8).pointer, "/parallel/context");
  EXPECT_EQ(only_violation(sizes(0, 1), 8).pointer, "/parallel/tensor");
  EXPECT_EQ(only_violation(sizes(1, 0), 8).pointer, "/parallel/expert");
}

TEST(CheckParallelism, WantsAnImbalanceThatTheGroupCanHave) {
  Parallelism parallelism = sizes(4, 4);
  for (const double possible : {1.0, 1.5, 4.0}) {
    parallelism.expert_imbalance = possible;
    EXPECT_TRUE(check_parallelism(parallelism, 8).empty());
  }
  for (const double impossible : {0.5, 4.5, std::numeric_limits<double>::quiet_NaN()}) {
    parallelism.expert_imbalance = impossible;
    EXPECT_EQ(only_violation(parallelism, 8).pointer, "/parallel/expert_imbalance");
  }
}

// Megatron-LM has the same requirement.
TEST(CheckParallelism, WantsSequenceParallelismBesideSplitExperts) {
  Parallelism parallelism = sizes(4, 4);
  parallelism.sequence_parallel = false;
  EXPECT_EQ(only_violation(parallelism, 8).pointer, "/parallel/sequence_parallel");
  parallelism.expert = 1;
  EXPECT_TRUE(check_parallelism(parallelism, 8).empty());
}

TEST(CheckParallelism, CountsTheDevicesOfSplitExperts) {
  Parallelism parallelism = sizes(4, 2);
  parallelism.expert_tensor = 2;
  EXPECT_TRUE(check_parallelism(parallelism, 3).empty());
  EXPECT_EQ(joined_replicas(parallelism), 1U);
  parallelism.expert_tensor = 4;
  EXPECT_EQ(only_violation(parallelism, 3).pointer, "/parallel/expert");
  EXPECT_TRUE(check_parallelism(parallelism, 4).empty());
  EXPECT_EQ(joined_replicas(parallelism), 2U);
  parallelism.expert_tensor = 0;
  EXPECT_EQ(only_violation(parallelism, 4).pointer, "/parallel/expert_tensor");
}

TEST(CheckParallelism, DispatchersDoWhatTheyCan) {
  Parallelism parallelism = sizes(4, 4);
  parallelism.dispatch = ExpertDispatch::AllGather;
  EXPECT_TRUE(check_parallelism(parallelism, 1).empty());
  parallelism.fp8_dispatch = true;
  EXPECT_EQ(only_violation(parallelism, 1).pointer, "/parallel/fp8_dispatch");
  parallelism = sizes(4, 2);
  parallelism.expert_tensor = 2;
  parallelism.dispatch = ExpertDispatch::PerNode;
  EXPECT_EQ(only_violation(parallelism, 1).pointer, "/parallel/dispatch");
}

}  // namespace
}  // namespace spillway
