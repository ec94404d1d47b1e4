// Expert-parallel groups and the replicas they join.
#include "cost/parallelism.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

Parallelism sizes(std::uint32_t tensor, std::uint32_t expert) {
  Parallelism parallelism;
  parallelism.tensor = tensor;
  parallelism.expert = expert;
  return parallelism;
}

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

TEST(CheckParallelism, RefusesContextAndZeroSizes) {
  Parallelism parallelism = sizes(4, 4);
  parallelism.context = 2;
  EXPECT_EQ(only_violation(parallelism, 8).pointer, "/parallel/context");
  EXPECT_EQ(only_violation(sizes(0, 1), 8).pointer, "/parallel/tensor");
  EXPECT_EQ(only_violation(sizes(1, 0), 8).pointer, "/parallel/expert");
}

}  // namespace
}  // namespace spillway
