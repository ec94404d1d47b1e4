// "split" of a schedule: the cases in which it is refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "input/experiment/experiment.h"

namespace spillway {
namespace {

// Returns the faults of image-work.json under one schedule and these settings.
std::string refused_split(const std::string& schedule, std::vector<Setting> settings = {}) {
  settings.insert(settings.begin(), {{"/schedules", "[" + schedule + "]"}, {"/baseline", "s"}});
  try {
    read_experiment(std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/image-work.json", settings);
    return "";
  } catch (const InputError& error) {
    return error.violations().front().pointer + ": " + error.violations().front().expected;
  }
}

TEST(Split, TakesWhatCanBeSplit) {
  EXPECT_EQ(refused_split(R"({"name": "s", "schedule": "1f1b", "split": "disaggregated"})"), "");
  EXPECT_EQ(refused_split(R"({"name": "s", "schedule": "transpose,zb-v", "cut": [32], "split": "balanced"})"),
            "");
}

TEST(Split, NeedsARankForTheEncoderAlone) {
  const std::string disaggregated = R"({"name": "s", "schedule": "1f1b", "split": "disaggregated"})";
  EXPECT_EQ(refused_split(disaggregated, {{"/pipeline/ranks", "1"}}),
            "/schedules/0/split: a pipeline of at least 2 ranks, one for the encoder");
  EXPECT_EQ(
      refused_split(disaggregated, {{"/model/blocks/0/role", "backbone"}}),
      "/schedules/0/split: a model whose first blocks are an encoder, followed by at least one other block");
  EXPECT_EQ(refused_split(R"({"name": "s", "schedule": "zb-v", "split": "disaggregated"})"),
            "/schedules/0/split: one region with one stage per rank, such as 1f1b, since the encoder has "
            "dedicated ranks");
}

// The cut states only boundaries between runs; the boundaries of regions inside a run are planned.
TEST(Split, OfAJointOneTheCutIsBetweenRuns) {
  const auto joint = [](const std::string& rest) {
    return refused_split(R"({"name": "s", "split": "joint", )" + rest + "}");
  };
  EXPECT_EQ(joint(R"("schedule": "1f1b,1f1b,1f1b")"), "");
  EXPECT_EQ(joint(R"("schedule": "transpose,1f1b,1f1b,1f1b", "cut": [32])"), "");
  EXPECT_EQ(joint(R"("schedule": "transpose,1f1b,1f1b", "cut": [32, 40])"),
            "/schedules/0/cut: 1 interior boundaries for 2 regions");
  EXPECT_EQ(joint(R"("schedule": "1f1b,transpose,1f1b")"),
            "/schedules/0/cut: 2 layer boundaries, since 3 regions cannot be cut by default from 2 blocks");
}

TEST(Split, IsForWhereNoLayersAreListed) {
  EXPECT_EQ(
      refused_split(R"({"name": "s", "schedule": "1f1b", "split": "balanced", "layers_per_rank": [96]})",
                    {{"/pipeline/ranks", "1"}}),
      "/schedules/0/split: no such key, since layers_per_rank states the split");
}

}  // namespace
}  // namespace spillway
