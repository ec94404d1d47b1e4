// The numbers that a fit sets, in the units of their keys.
#include "experiment/parameter.h"

#include <gtest/gtest.h>

#include "input/experiment/experiment.h"
#include "written.h"

namespace spillway {
namespace {

Experiment a() {
  return read_experiment(shipped("workloads/experiments/experiment-a.json"), {});
}

// Checks that `of` returns the same after the number is set and after the file is read with the setting.
template <class Of>
void expect_set_as_read(const std::string& file, const std::string& pointer, Of of) {
  const std::string path = shipped("workloads/experiments/" + file);
  const Experiment untouched = read_experiment(path, {});
  const Experiment read = read_experiment(path, {{pointer, "0.25"}});
  EXPECT_EQ(of(with_parameter(untouched, pointer, 0.25)), of(read)) << pointer;
  EXPECT_NE(of(untouched), of(read)) << pointer;
}

TEST(Parameter, SettingADurationEqualsReadingWithTheSetting) {
  const auto block = [](const Experiment& e) { return std::get<GivenCosts>(e.costs).blocks[1]; };
  const std::string profile = "/model/blocks/1/profile/";
  expect_set_as_read("small.json", profile + "forward_ms", [&](const auto& e) { return block(e).forward; });
  expect_set_as_read("small.json", profile + "input_gradient_ms",
                     [&](const auto& e) { return block(e).input_gradient; });
  expect_set_as_read("small.json", profile + "weight_gradient_ms",
                     [&](const auto& e) { return block(e).weight_gradient; });
  expect_set_as_read("small.json", "/network/p2p_ms",
                     [](const auto& e) { return std::get<GivenCosts>(e.costs).p2p; });
}

TEST(Parameter, SettingAnEfficiencyEqualsReadingWithTheSetting) {
  const auto block = [](const Experiment& e, std::size_t i) {
    return std::get<AnalyticExperiment>(e.costs).costs.blocks[i];
  };
  const std::string backbone = "/model/blocks/1/efficiency/";
  expect_set_as_read("experiment-a.json", backbone + "compute",
                     [&](const auto& e) { return block(e, 1).efficiency.compute; });
  expect_set_as_read("experiment-a.json", backbone + "memory",
                     [&](const auto& e) { return block(e, 1).efficiency.memory; });
  expect_set_as_read("experiment-b.json", "/model/blocks/0/fixed_ms",
                     [&](const auto& e) { return block(e, 0).fixed_per_microbatch; });
}

TEST(Parameter, OthersAreNone) {
  EXPECT_FALSE(is_parameter(small(), "/model/blocks/2/profile/forward_ms"));
  EXPECT_FALSE(is_parameter(small(), "/pipeline/ranks"));
  EXPECT_FALSE(is_parameter(a(), "/network/p2p_ms"));
  EXPECT_THROW(with_parameter(small(), "/pipeline/ranks", 1), ContractBreach);
  EXPECT_TRUE(is_parameter(small(), some_parameter(small())));
}

}  // namespace
}  // namespace spillway
