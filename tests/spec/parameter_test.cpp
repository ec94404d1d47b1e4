// The numbers that a fit sets, in the units of their keys.
#include "spec/parameter.h"

#include <gtest/gtest.h>

#include "written.h"

namespace spillway {
namespace {

Experiment small() {
  return read_experiment(shipped("workloads/experiments/small.json"), {});
}
Experiment a() {
  return read_experiment(shipped("workloads/experiments/experiment-a.json"), {});
}

TEST(Parameter, ReadsWhatTheFileSays) {
  EXPECT_DOUBLE_EQ(parameter(small(), "/network/p2p_ms"), 0.601);
  EXPECT_DOUBLE_EQ(parameter(small(), "/model/blocks/1/profile/weight_gradient_ms"), 9.337);
  EXPECT_DOUBLE_EQ(parameter(a(), "/model/blocks/0/fixed_ms"), 250);
  EXPECT_DOUBLE_EQ(parameter(a(), "/model/blocks/0/efficiency/memory"), 0.6);
}

TEST(Parameter, SettingEqualsReadingWithTheSetting) {
  const std::string pointer = "/model/blocks/1/profile/forward_ms";
  const Experiment set = with_parameter(small(), pointer, 7.25);
  const Experiment read = read_experiment(shipped("workloads/experiments/small.json"), {{pointer, "7.25"}});
  EXPECT_EQ(std::get<GivenCosts>(set.costs).blocks[1].forward,
            std::get<GivenCosts>(read.costs).blocks[1].forward);
  EXPECT_DOUBLE_EQ(parameter(with_parameter(a(), "/model/blocks/1/efficiency/compute", 0.25),
                             "/model/blocks/1/efficiency/compute"),
                   0.25);
}

TEST(Parameter, OthersAreNone) {
  EXPECT_FALSE(is_parameter(small(), "/model/blocks/2/profile/forward_ms"));
  EXPECT_FALSE(is_parameter(small(), "/pipeline/ranks"));
  EXPECT_FALSE(is_parameter(a(), "/network/p2p_ms"));
  EXPECT_THROW(parameter(small(), "/pipeline/ranks"), ContractBreach);
  EXPECT_TRUE(is_parameter(small(), some_parameter(small())));
}

}  // namespace
}  // namespace spillway
