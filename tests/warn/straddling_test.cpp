// Groups that span units of a tier: counted device by device in every group, and aligned.
#include <gtest/gtest.h>

#include <string>

#include "cost/placement.h"
#include "draws/fold.h"
#include "evaluate/evaluate.h"
#include "evaluate/point.h"
#include "input/experiment/experiment.h"
#include "support/shipped.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

using testing::kSource;

Platform rack_of_72() {
  const Experiment experiment = read_experiment(kSource + "/workloads/experiments/ascend-910b-pp2.json",
                                                {{"/platform", kSource + "/platforms/gb200-nvl72.json"}});
  return std::get<AnalyticExperiment>(experiment.costs).costs.platform;
}

// Counts the groups by the definition, device by device.
std::uint32_t torn_by_hand(const Platform& platform, std::size_t tier, std::uint32_t size,
                           std::uint32_t count) {
  std::uint32_t torn = 0;
  for (std::uint32_t group = 0; group < count; ++group) {
    bool is_torn = false;
    for (std::uint32_t i = 1; i < size; ++i)
      is_torn = is_torn || (group * size + i) / platform.tiers[tier].devices !=
                               (group * size) / platform.tiers[tier].devices;
    torn += is_torn;
  }
  return torn;
}

TEST(Straddling, IsWhatTheDevicesOfEveryGroupSay) {
  const Platform platform = rack_of_72();
  ASSERT_EQ(platform.tiers.front().devices, 72u);
  for (std::uint32_t size = 2; size <= 72; ++size) {
    const std::uint32_t count = 500 / size, torn = torn_by_hand(platform, 0, size, count);
    const auto found = straddling(platform, "groups", size, count);
    ASSERT_EQ(found.has_value(), torn > 0) << size;
    if (found) {
      EXPECT_EQ(found->torn, torn) << size;
      EXPECT_EQ(found->tier, 0u);
    }
  }
  EXPECT_FALSE(straddling(platform, "groups", 144, 3));  // no rack could hold one
}

TEST(Straddling, WholeGroupsLeaveTheRestOfATierEmpty) {
  const Platform platform = rack_of_72();
  const auto whole = with_whole_groups(platform, 0, 64);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->tiers[0].devices, 64u);
  EXPECT_EQ(std::uint64_t{whole->device_count()} * 72, std::uint64_t{platform.device_count()} * 64);
  EXPECT_FALSE(straddling(*whole, "groups", 64, 5));
}

std::vector<Setting> racks(const std::string& expert, const std::string& replicas) {
  return {{"/platform", kSource + "/platforms/gb200-nvl72.json"},
          {"/pipeline/ranks", "2"},
          {"/pipeline/microbatches", "4"},
          {"/pipeline/replicas", replicas},
          {"/parallel/expert", expert},
          {"/model/blocks/0/architecture", kSource + "/workloads/models/qwen3-235b-a22b/config.json"},
          {"/model/blocks/0/multi_token_prediction", "false"}};
}

// Reads the experiment without a stated placement.
Experiment as_it_comes(const std::string& expert, const std::string& replicas) {
  return read_experiment(kSource + "/workloads/experiments/deepseek-v3-h800.json", racks(expert, replicas));
}

Experiment on_racks(const std::string& expert, const std::string& replicas) {
  std::vector<Setting> settings = racks(expert, replicas);
  settings.push_back({"/parallel/placement", "packed"});
  return read_experiment(kSource + "/workloads/experiments/deepseek-v3-h800.json", settings);
}

Experiment by_hand(Experiment packed) {
  auto& platform = std::get<AnalyticExperiment>(packed.costs).costs.platform;
  platform = *with_whole_groups(platform, 0, 64);
  return packed;
}

Seconds step_of(const Experiment& experiment) {
  Caches caches;
  return evaluate_point(experiment, caches).schedules[0].makespans[0];
}

// Each rank has 128 devices. Of the four groups of 64, all but the first cross a rack. Aligned groups take
// the time of a platform with 64 devices to a rack, and are faster.
TEST(Straddling, IsSaidWithWhatAligningGives) {
  const Experiment experiment = on_racks("64", "128");
  const std::vector<Warning> warnings = priced_straddling_warnings(experiment, {});
  ASSERT_FALSE(warnings.empty());
  EXPECT_EQ(warnings[0].code, "straddling");
  EXPECT_NE(warnings[0].text.find(
                "3 of 4 expert-parallel groups of 64 devices span more than one rack (72 devices)"),
            std::string::npos)
      << warnings[0].text;
  EXPECT_NE(warnings[0].text.find("with whole groups on 64 devices of each"), std::string::npos)
      << warnings[0].text;
  const Experiment aligned = by_hand(experiment);
  EXPECT_LT(step_of(aligned), step_of(experiment));
  EXPECT_TRUE(priced_straddling_warnings(aligned, {}).empty());
}

// By default the step is aligned, and a warning states the devices that stay empty and the time saved.
TEST(Straddling, IsAvoidedByDefault) {
  const Experiment experiment = as_it_comes("64", "128");
  EXPECT_EQ(step_of(experiment), step_of(by_hand(on_racks("64", "128"))));
  const std::vector<Warning> plain = straddling_warnings(experiment),
                             priced = priced_straddling_warnings(experiment, {});
  ASSERT_EQ(plain.size(), 1u);
  ASSERT_EQ(priced.size(), 1u);
  EXPECT_EQ(plain[0].code, "aligned");
  EXPECT_NE(plain[0].text.find("64 of the 72 devices of a rack are used"), std::string::npos)
      << plain[0].text;
  EXPECT_NE(priced[0].text.find("the longest path is"), std::string::npos) << priced[0].text;
}

// If the cluster is too small to leave devices empty, devices lie side by side, and a warning says so.
TEST(Straddling, IsLeftWhereTheClusterIsTooSmall) {
  Experiment experiment = on_racks("64", "128");
  auto& costs = std::get<AnalyticExperiment>(experiment.costs).costs;
  EXPECT_FALSE(aligned(costs, experiment.pipeline).has_value()) << "packed is asked for";
  costs.parallelism.placement = Placement::Aligned;
  costs.platform.tiers.back().devices = 288;  // four racks for 256 devices: whole groups of 64 need all four
  EXPECT_TRUE(aligned(costs, experiment.pipeline).has_value());
  costs.platform.tiers.back().devices = 216;
  EXPECT_FALSE(aligned(costs, experiment.pipeline).has_value());
}

// A sweep warns without the price and a run with it, each once.
TEST(Straddling, IsSaidOnceByEveryEvaluation) {
  const Experiment experiment = on_racks("64", "128");
  const auto said = [&](const Engines& engines) {
    std::vector<std::string> texts;
    for (const Warning& warning : warned(evaluate(experiment, engines), experiment, engines).warnings)
      if (warning.code == "straddling") texts.push_back(warning.text);
    return texts;
  };
  const auto plain = said({.run = {Engine::LongestPath}}),
             priced = said({.run = {Engine::LongestPath}, .references = true});
  ASSERT_EQ(plain.size(), 1u);
  ASSERT_EQ(priced.size(), 1u);
  EXPECT_NE(plain[0].find("spillway run prints"), std::string::npos) << plain[0];
  EXPECT_NE(priced[0].find("the longest path is"), std::string::npos) << priced[0];
}

// Three replicas of 8 devices lie alike on nodes of 12, which tear one group of 8 in three. A sweep simulates
// one replica for all three, and still counts the groups of all.
TEST(Straddling, CountsTheGroupsOfFoldedReplicas) {
  Experiment experiment = read_experiment(kSource + "/workloads/experiments/llama3-405b.json",
                                          {{"/pipeline/replicas", "3"}, {"/parallel/placement", "packed"}});
  auto& platform = std::get<AnalyticExperiment>(experiment.costs).costs.platform;
  platform.tiers.front().devices = 12;
  for (std::size_t i = 1; i < platform.tiers.size(); ++i) platform.tiers[i].devices *= 12;
  const Experiment one = folded(experiment, Links::Own);
  ASSERT_EQ(one.pipeline.replicas, 1u);
  const std::vector<Warning> all = straddling_warnings(experiment);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(straddling_warnings(one), all);
}

TEST(Straddling, AlignedGroupsAndGivenDurationsSayNothing) {
  EXPECT_TRUE(straddling_warnings(on_racks("8", "8")).empty());
  EXPECT_TRUE(
      straddling_warnings(read_experiment(kSource + "/workloads/experiments/small.json", {})).empty());
}

}  // namespace
}  // namespace spillway
