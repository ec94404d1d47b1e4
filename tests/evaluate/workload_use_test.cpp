// Checks that data without room is counted and reported, and that losing most of the workload is refused.
#include "evaluate/workload_use.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "evaluate/evaluate.h"
#include "evaluate/point.h"
#include "input/experiment/experiment.h"
#include "support/engines.h"

namespace spillway {
namespace {

using testing::kLongestPath;

using Settings = std::vector<Setting>;

Experiment shipped(const std::string& name, Settings settings) {
  settings.insert(settings.begin(), {{"/draws", "2"}, {"/fit", "[]"}});
  return read_experiment(std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/" + name + ".json",
                         settings);
}

// Sixteen images of up to 5,120 patches are kept whole unless a limit is stated.
const Settings kSixteenImages = {{"/model/blocks/0/image_work/samples_per_microbatch", "16"}};

Settings with(Settings settings, const std::string& pointer, const std::string& value) {
  settings.push_back({pointer, value});
  return settings;
}

std::vector<WorkloadUse> uses_of(const Experiment& experiment) {
  return workload_uses(DrawCosts(experiment));
}

TEST(WorkloadUse, AMicrobatchHasAllPatchesOfItsImages) {
  const std::vector<WorkloadUse> uses = uses_of(shipped("image-work", kSixteenImages));
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].pointer, "/model/blocks/0/image_work");
  ASSERT_EQ(uses[0].draws.size(), 2u);
  for (const WorkloadTally& draw : uses[0].draws) {
    EXPECT_EQ(draw.samples, 64u * 16);
    EXPECT_EQ(draw.dropped_images, 0u);
    EXPECT_EQ(draw.clipped_samples, 0u);
  }
  const double all = evaluate(shipped("image-work", kSixteenImages), kLongestPath)
                         .schedules[0]
                         .draws[0]
                         .step.makespan.value();
  const double most =
      evaluate(
          shipped("image-work", with(kSixteenImages, "/model/blocks/0/image_work/max_patches", "1000000")),
          kLongestPath)
          .schedules[0]
          .draws[0]
          .step.makespan.value();
  EXPECT_EQ(all, most);
}

// Expects the refusal from both evaluate and evaluate_point.
void expect_refused(const Experiment& experiment, const std::string& pointer) {
  Caches caches;
  const auto refused = [&](auto run) {
    try {
      run();
      ADD_FAILURE() << "not refused: " << pointer;
    } catch (const InputError& error) {
      ASSERT_EQ(error.violations().size(), 1u);
      EXPECT_EQ(error.violations()[0].pointer, pointer);
    }
  };
  refused([&] { evaluate(experiment, kLongestPath); });
  refused([&] { evaluate_point(experiment, caches); });
}

TEST(WorkloadUse, ToLoseMostOfItIsNoAnswer) {
  const std::string sequence = "/workload/sequence_tokens";
  expect_refused(shipped("experiment-a", {{"/workload/text_tokens", "20000"}}), sequence);
  expect_refused(shipped("experiment-a", {{sequence, "100"}}), sequence);
  expect_refused(shipped("experiment-a", {{"/workload/max_patches", "1"}}), "/workload/max_patches");
  expect_refused(
      shipped("image-work", with(kSixteenImages, "/model/blocks/0/image_work/max_patches", "5000")),
      "/model/blocks/0/image_work/max_patches");
}

}  // namespace
}  // namespace spillway
