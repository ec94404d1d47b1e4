// Experts split over devices: FLOPs stay, parameters are divided, tokens are gathered.
#include "cost/layers/split_experts.h"

#include <gtest/gtest.h>

#include "cost/layers/layer_cost.h"

namespace spillway {
namespace {

constexpr std::uint32_t kWidthOfModel = 64, kExpertInner = 32, kExperts = 8, kChosen = 2;

std::vector<Layer> experts_alone() {
  return {rms_norm(kWidthOfModel) + routed_experts(kWidthOfModel, kExpertInner, kExperts, kChosen)};
}

std::vector<Layer> split_by(const Parallelism& parallelism) {
  std::vector<Layer> split = experts_alone();
  split_experts(parallelism, split);
  return split;
}

const Operator& named(const std::vector<Layer>& all, std::string_view name) {
  for (const Operator& op : all[0].operators)
    if (op.name == name) return op;
  throw ContractBreach("no such operator");
}

TEST(SplitExperts, StaysAsItIsOnOneDevice) {
  EXPECT_EQ(split_by({}), experts_alone());
  EXPECT_EQ(split_by({.expert = 4}), experts_alone());
}

TEST(SplitExperts, SharesOutInnerWidthAndGathersRows) {
  const std::vector<Layer> whole = experts_alone(), split = split_by({.expert_tensor = 2});
  const LayerCost before = cost_of(whole), after = cost_of(split);
  EXPECT_EQ(after.weights_per_token, before.weights_per_token);
  EXPECT_EQ(after.expert_parameters, before.expert_parameters / 2);
  EXPECT_EQ(after.dense_parameters, before.dense_parameters);
  const Operator &up = named(split, "expert up"), &down = named(split, kExpertDown);
  EXPECT_EQ(up.n, kExpertInner);  // of gate and up
  EXPECT_EQ(up.k, kWidthOfModel);
  EXPECT_EQ(down.k, kExpertInner / 2);
  EXPECT_EQ(down.n, kWidthOfModel);
  EXPECT_EQ(up.rows_per_token, 2 * kChosen);
}

// Inputs of the experts are kept for both devices' tokens; activations inside are half as wide.
TEST(SplitExperts, KeepsTheTokensOfAllThatShareAnExpert) {
  const std::vector<Layer> whole = experts_alone(), split = split_by({.expert_tensor = 2});
  const auto kept = [](const std::vector<Layer>& all, std::string_view name) {
    return named(all, name).kept.for_backward;
  };
  EXPECT_EQ(kept(split, "expert up"), kept(whole, "expert up") * 2);
  EXPECT_EQ(kept(split, kExpertDown), kept(whole, kExpertDown));
  EXPECT_EQ(kept(split, "expert swiglu"), kept(whole, "expert swiglu"));
  EXPECT_EQ(
      named(split, kExpertDown).kept.between_gradients - named(whole, kExpertDown).kept.between_gradients,
      Bytes(2.0 * kChosen * kWidthOfModel));
}

TEST(SplitExperts, AnAllGatherHoldsTheTokensOfTheGroup) {
  const std::vector<Layer> gathered = split_by({.expert = 4, .dispatch = ExpertDispatch::AllGather});
  for (const char* exchange : {"dispatch", "combine"})
    EXPECT_EQ(named(gathered, exchange).buffers_per_token, Bytes(2.0 * 4 * kWidthOfModel));
}

// A token of 2 of 8 experts on 4 devices reaches 4 (1 - C(6,2) / C(8,2)) = 13/7 of them: sorting reads that
// many copies where it read 2, and still writes 2. Buffers and products stay.
TEST(SplitExperts, OwnKernelsCopyNoTokensAndSortOneOfADevice) {
  const std::vector<Layer> whole = experts_alone();
  const std::vector<Layer> sent = split_by({.expert = 4, .dispatch = ExpertDispatch::PerNode});
  for (const char* exchange : {"dispatch", "combine"}) {
    EXPECT_EQ(named(sent, exchange).traffic_per_token, Bytes());
    EXPECT_GT(named(whole, exchange).traffic_per_token, Bytes());
    EXPECT_EQ(named(sent, exchange).buffers_per_token, named(whole, exchange).buffers_per_token);
  }
  EXPECT_DOUBLE_EQ(named(sent, kSortByExpert).traffic_per_token.value(),
                   2.0 * (13.0 / 7 + 2) * kWidthOfModel);
  EXPECT_EQ(named(sent, "expert up"), named(whole, "expert up"));
  EXPECT_EQ(split_by({.expert = 1, .dispatch = ExpertDispatch::PerNode}), whole);
}

TEST(SplitExperts, WantsADivisorOfTheInnerWidth) {
  EXPECT_TRUE(can_split_experts(experts_alone(), 32));
  EXPECT_FALSE(can_split_experts(experts_alone(), 3));
}

}  // namespace
}  // namespace spillway
