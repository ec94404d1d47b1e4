#include "traces/profile/job_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "torch_profile.h"
#include "trace_files.h"

namespace spillway::testing {
namespace {

TorchProfile training(std::size_t steps, double slower = 1) {
  TorchProfile profile;
  for (std::size_t i = 0; i < steps; ++i)
    add_step(profile, i + 5, 1000 + 100.0 * static_cast<double>(i), slower);
  return profile;
}

JobProfile profile_at(const std::string& path) {
  auto job = job_profile(path);
  EXPECT_TRUE(job);
  return job ? *std::move(job) : JobProfile();
}

const Inferred& inference_of(const std::vector<Inferred>& all, std::string_view what) {
  const auto found = std::ranges::find(all, what, &Inferred::what);
  EXPECT_NE(found, all.end()) << what;
  return *found;
}

double us(Seconds time) {
  return time.value() * 1e6;
}

TEST(JobProfile, StepsAreTheProfilersAndTheirTimesGoFromOneToTheNext) {
  const JobProfile job = profile_at(training(3).file());
  const ProfiledRank& rank = job.ranks.at(0);
  ASSERT_EQ(rank.steps.size(), 3U);
  EXPECT_EQ(rank.steps[1].name, "6");
  EXPECT_NEAR(us(rank.steps[1].time), 100, 1e-6);
  EXPECT_EQ(inference_of(rank.inferences, "steps").confidence, Confidence::Stated);
  ASSERT_TRUE(job.steps);
  EXPECT_NEAR(us(job.steps->mean), 100, 1e-6);
}

// In the last step the forward computes 10-40, the backward 40-76, the all-reduce is alone 76-86, and the
// optimizer computes 88-92. It is launched at 87, so the gap of 2 before it is the host's.
TEST(JobProfile, TheDevicesTimeIsSplitByWhatItDoes) {
  const DeviceTime time = profile_at(training(1).file()).ranks.at(0).time;
  EXPECT_NEAR(us(time.window), 82, 1e-6);
  EXPECT_NEAR(us(time.computing), 66 + 4, 1e-6);
  EXPECT_NEAR(us(time.communication), 10, 1e-6);
  EXPECT_NEAR(us(time.all_communication), 12, 1e-6);
  EXPECT_NEAR(us(time.host), 2, 1e-6);
  EXPECT_NEAR(us(time.idle), 0, 1e-6);
}

TEST(JobProfile, PassesAreToldByTheEngineOfAutogradAndTheOptimizersRange) {
  const ProfiledStep step = profile_at(training(2).file()).ranks.at(0).steps.at(0);
  ASSERT_EQ(step.passes.size(), 3U);
  EXPECT_EQ(step.passes[0].direction, PassPhase::Forward);
  EXPECT_NEAR(us(step.passes[0].span), 30, 1e-6);
  EXPECT_EQ(step.passes[1].direction, PassPhase::Backward);
  EXPECT_NEAR(us(step.passes[1].busy), 36, 1e-6);
  EXPECT_EQ(step.passes[1].kernels, 6U);
  EXPECT_EQ(step.passes[2].direction, PassPhase::Optimizer);
}

TEST(JobProfile, LayersRepeatInTheForwardAndInTheBackward) {
  const ProfiledRank rank = profile_at(training(2).file()).ranks.at(0);
  ASSERT_EQ(rank.layers.size(), 2U);
  EXPECT_EQ(rank.layers[0].layers, 3U);
  EXPECT_EQ(rank.layers[0].kernels, 2U);
  EXPECT_NEAR(us(rank.layers[1].busy), 12, 1e-6);
  EXPECT_EQ(inference_of(rank.inferences, "layers").confidence, Confidence::Likely);
}

TEST(JobProfile, CollectivesHaveTheirKindTheirPassAndTheirBytes) {
  const ProfiledRank rank = profile_at(training(2).file()).ranks.at(0);
  ASSERT_EQ(rank.collectives.size(), 1U);
  const CollectiveUse& use = rank.collectives[0];
  EXPECT_EQ(use.operation, "all-reduce");
  EXPECT_EQ(use.devices, 8U);
  EXPECT_EQ(use.phase, PassPhase::Backward);
  EXPECT_EQ(use.count, 2U);
  EXPECT_EQ(use.bytes, Bytes(8000));
}

// A data-parallel job of eight ranks, rank 3 of which computes slowly.
TEST(JobProfile, EightDataParallelRanksAreNoPipeline) {
  std::string folder;
  for (std::size_t rank = 0; rank < 8; ++rank)
    folder = training(3, rank == 3 ? 2.5 : 1)
                 .file("data-parallel/rank" + std::to_string(rank) + ".json", distributed(rank, 8));
  const JobProfile job = profile_at(std::filesystem::path(folder).parent_path().string());
  EXPECT_EQ(job.ranks.size(), 8U);
  EXPECT_EQ(job.processes, 8U);
  EXPECT_EQ(job.ranks[5].rank, 5U);
  EXPECT_EQ(inference_of(job.inferences, "job").found, "training");
  EXPECT_EQ(inference_of(job.inferences, "parallelism").found, "data");
  EXPECT_EQ(inference_of(job.inferences, "pipeline").found, "none");
  EXPECT_EQ(job.slow_ranks, std::vector<std::uint32_t>{3});
}

TEST(JobProfile, AProcessGroupOfAPipelineIsSaidAndStillNoPipelineIsRead) {
  const std::string group = R"(,"pg_config":[{"pg_desc":"mesh_pp","ranks":[0,1]}])";
  const JobProfile job = profile_at(training(2).file("group.json", distributed(0, 2, group)));
  const Inferred& pipeline = inference_of(job.inferences, "pipeline");
  EXPECT_EQ(pipeline.found, "not read");
  EXPECT_NE(pipeline.how.find("2 ranks"), std::string::npos);
}

TEST(JobProfile, AnAnnotationOfAPassLeavesTheFileToThePipelines) {
  TorchProfile profile = training(1);
  EXPECT_FALSE(job_profile(profile.range("PP:0F0", 1200, 1210).file("pipeline.json")));
}

TEST(JobProfile, StepsMayBeNumberedRangesOrEndWithAnOptimizer) {
  TorchProfile numbered, ended;
  for (int i = 0; i < 3; ++i) {
    const double at = 100.0 * i;
    numbered.range("train_step_" + std::to_string(i), at, at + 90).kernel("gemm", at + 1, at + 5, at + 80);
    ended.kernel("gemm", at + 1, at + 5, at + 50)
        .range("Optimizer.step#SGD.step", at + 60, at + 70)
        .kernel("sgd", at + 61, at + 65, at + 80);
  }
  const ProfiledRank by_name = profile_at(numbered.file("numbered.json")).ranks.at(0);
  EXPECT_EQ(by_name.steps.size(), 3U);
  EXPECT_EQ(inference_of(by_name.inferences, "steps").confidence, Confidence::Likely);
  const ProfiledRank by_optimizer = profile_at(ended.file("ended.json")).ranks.at(0);
  ASSERT_EQ(by_optimizer.steps.size(), 3U);
  EXPECT_NEAR(us(by_optimizer.steps[0].time), 100, 1e-6);
  EXPECT_FALSE(by_optimizer.steps[2].whole);
}

TEST(JobProfile, GradientAccumulationHasAMicrobatchForEachBackward) {
  TorchProfile profile;
  profile.range("ProfilerStep#1", 0, 400);
  for (int i = 0; i < 3; ++i) {
    const double at = 100.0 * i;
    profile.kernel("gemm", at + 1, at + 5, at + 35)
        .op("autograd::engine::evaluate_function: MmBackward0", at + 40, at + 45, "2")
        .kernel("gemm_backward", at + 41, at + 45, at + 95, "2");
  }
  const ProfiledRank rank = profile_at(profile.file("accumulation.json")).ranks.at(0);
  ASSERT_EQ(rank.steps.at(0).passes.size(), 6U);
  EXPECT_EQ(rank.steps[0].passes[5].microbatch, 2U);
}

// The host's operators are the work of a job on CPUs. What lies in another operator counts once.
TEST(JobProfile, WithoutADeviceTheHostsOutermostOperatorsAreTheWork) {
  TorchProfile profile;
  profile.range("ProfilerStep#1", 0, 100).op("aten::linear", 10, 40).op("aten::addmm", 12, 38);
  profile.op("c10d::allreduce_", 50, 60).op("aten::add", 70, 80);
  const ProfiledRank rank = profile_at(profile.file("host.json")).ranks.at(0);
  EXPECT_TRUE(rank.of_the_host);
  EXPECT_NEAR(us(rank.time.computing), 40, 1e-6);
  EXPECT_NEAR(us(rank.time.communication), 10, 1e-6);
  EXPECT_NEAR(us(rank.time.host), 20, 1e-6);
}

TEST(JobProfile, StepsWhoseNumbersFallAreAClockThatRanBackwards) {
  TorchProfile profile;
  profile.range("ProfilerStep#2", 0, 10).range("ProfilerStep#1", 10, 20).kernel("gemm", 1, 2, 3);
  const std::string path = profile.file("backwards.json");
  const Violation violation = violation_of([&] { job_profile(path); });
  EXPECT_EQ(violation.pointer, "/traceEvents");
  EXPECT_NE(violation.found.find("a clock ran backwards"), std::string::npos);
}

TEST(JobProfile, WorkThatNearlyAlwaysStartsBeforeItsLaunchIsRefused) {
  TorchProfile profile;
  for (int i = 0; i < 20; ++i) profile.kernel("gemm", 10.0 * i + 9, 10.0 * i, 10.0 * i + 5);
  const std::string path = profile.file("clocks.json");
  EXPECT_NE(violation_of([&] { job_profile(path); }).found.find("20 of 20"), std::string::npos);
}

TEST(JobProfile, ATruncatedFileIsRefusedWithItsByte) {
  const std::string path = training(4).file("cut.json");
  cut_in_half(path);
  const Violation violation = violation_of([&] { job_profile(path); });
  EXPECT_EQ(violation.pointer.substr(0, 5), "byte ");
  EXPECT_NE(violation.found.find("the end of the file"), std::string::npos);
}

TEST(JobProfile, AProfileWithoutAnyWorkIsRefused) {
  TorchProfile profile;
  profile.range("ProfilerStep#1", 0, 10);
  const std::string path = profile.file("empty.json");
  EXPECT_EQ(violation_of([&] { job_profile(path); }).found, "neither");
}

TEST(JobProfile, WorkThatWasLaunchedBeforeTheProfileBeganIsDroppedAndCounted) {
  TorchProfile profile = training(1);
  profile.add("kernel", "of the step before", "7", 500, 900);
  const JobProfile job = profile_at(profile.file("before.json"));
  EXPECT_NEAR(us(job.ranks.at(0).time.window), 82, 1e-6);
  ASSERT_EQ(job.notes.size(), 1U);
  EXPECT_NE(to_string(job.notes[0]).find("launched before the profile began"), std::string::npos);
}

TEST(JobProfile, NegativeDurationsAreDroppedAndCounted) {
  TorchProfile profile = training(1);
  const JobProfile job = profile_at(profile.add("kernel", "bad", "7", 1050, 1049).file("negative.json"));
  ASSERT_EQ(job.notes.size(), 1U);
  EXPECT_NE(to_string(job.notes[0]).find("1 event with a negative duration"), std::string::npos);
}

}  // namespace
}  // namespace spillway::testing
