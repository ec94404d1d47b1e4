// The warnings of whole results.
#include "warn/warnings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "evaluate/evaluate.h"
#include "evaluate/memory_limit.h"
#include "evaluate/workload_use.h"
#include "input/experiment/experiment.h"
#include "support/engines.h"

namespace spillway {
namespace {

using testing::kLongestPath;

using Settings = std::vector<Setting>;

Experiment shipped(const std::string& name, const Settings& settings) {
  return read_experiment(std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/" + name + ".json",
                         settings);
}

Evaluation of(const Experiment& experiment) {
  return warned(evaluate(experiment, kLongestPath), experiment, kLongestPath);
}

// Sixteen images a microbatch; none is left out unless `more` states a limit.
Experiment sixteen_images(Settings more) {
  more.insert(more.begin(),
              {{"/draws", "2"}, {"/fit", "[]"}, {"/model/blocks/0/image_work/samples_per_microbatch", "16"}});
  return shipped("image-work", more);
}

TEST(IdleKey, OneWarningForAllOfANameAndReason) {
  const std::vector<Warning> warnings = warnings_of(std::vector<IdleKey>{
      {"/schedules/0/owner", "nothing"}, {"/seed", "nothing"}, {"/schedules/2/owner", "nothing"}});
  EXPECT_EQ(warnings, (std::vector<Warning>{
                          {"no-effect", "/schedules/0/owner, /schedules/2/owner have no effect: nothing"},
                          {"no-effect", "/seed has no effect: nothing"}}));
}

TEST(Warnings, CountWhatAStatedLimitLeavesOut) {
  const Experiment whole = sixteen_images({});
  EXPECT_TRUE(of(whole).warnings.empty());
  const std::uint64_t drawn = workload_uses(DrawCosts(whole))[0].all().images;
  const Evaluation evaluation = of(sixteen_images({{"/model/blocks/0/image_work/max_patches", "32768"}}));
  const WorkloadTally all = evaluation.workloads.at(0).all();
  EXPECT_EQ(all.images + all.dropped_images, drawn);
  EXPECT_GT(all.dropped_images, 0u);
  ASSERT_EQ(evaluation.warnings.size(), 1u);
  EXPECT_EQ(evaluation.warnings[0].code, "dropped-data");
  const std::string lost = std::to_string(all.dropped_images) + " of " + std::to_string(drawn) + " images";
  EXPECT_NE(evaluation.warnings[0].text.find(lost), std::string::npos) << evaluation.warnings[0].text;
  EXPECT_NE(evaluation.warnings[0].text.find("max_patches 32768"), std::string::npos);
}

TEST(Warnings, NameSamplesLongerThanASequence) {
  const Evaluation evaluation = of(shipped("experiment-a", {{"/draws", "2"},
                                                            {"/fit", "[]"},
                                                            {"/workload/sequence_tokens", "4096"},
                                                            {"/workload/max_patches", "16384"}}));
  EXPECT_GT(evaluation.workloads.at(0).all().clipped_samples, 0u);
  EXPECT_TRUE(std::ranges::any_of(evaluation.warnings,
                                  [](const Warning& warning) { return warning.code == "dropped-data"; }));
}

// Mpipe holds three slabs of two layers, the baseline three slabs of three layers.
TEST(Warnings, OfMemoryMarkAScheduleAndRefuseARunWhereNothingFits) {
  const auto limited = [](const char* gb) {
    return of(shipped("small", {{"/memory", std::string(R"({"limit_gb": )") + gb + "}"}}));
  };
  const Evaluation one = limited("1.5");
  EXPECT_TRUE(one.schedules[0].warnings.empty());
  EXPECT_EQ(one.schedules[1].warnings.at(0).code, "does-not-fit");
  EXPECT_TRUE(limited("2").schedules[1].warnings.empty());
  EXPECT_NO_THROW(require_a_fit(one));
  EXPECT_THROW(require_a_fit(limited("1")), Infeasible);
}

// The platform's memory marks a schedule, but refuses no run.
TEST(Warnings, APlatformsMemoryRefusesNoRun) {
  const Evaluation b = of(shipped("experiment-b", {{"/draws", "1"}, {"/fit", "[]"}}));
  EXPECT_EQ(b.schedules[b.baseline].warnings.at(0).code, "does-not-fit");
  EXPECT_NO_THROW(require_a_fit(b));
}

// A point of a sweep has the warnings of a run without references, whichever replicas are folded.
TEST(Warnings, OfAPointAreThoseOfTheRun) {
  for (const char* name : {"deepseek-v3-h800", "ascend-910b-pp2", "image-work", "small"}) {
    const Experiment experiment = shipped(name, {{"/draws", "1"}, {"/fit", "[]"}});
    Caches caches;
    EXPECT_EQ(warned_point(experiment, caches).warnings, of(experiment).warnings) << name;
  }
}

}  // namespace
}  // namespace spillway
