// The ten jobs of docs/plans.md: every row that `plan` prints can be laid out, and its launch has only
// options of its framework and is read back to the same layout. Every day one of them; all under `make
// nightly`.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/plan_job.h"
#include "option_facts.h"
#include "support/nightly.h"

namespace spillway {
namespace {

struct PlannedJob {
  std::string name;
  bool quick = false;
  friend void PrintTo(const PlannedJob& job, std::ostream* out) { *out << job.name; }
};

const std::vector<PlannedJob> kTenJobs = {
    {"llama-3-8b-mlperf"},   {"llama-3-70b"},  {"llama-3-405b"},  {"mixtral-8x7b"},
    {"qwen3-30b-a3b", true}, {"deepseek-v3"},  {"qwen2.5-vl-7b"}, {"qwen2.5-vl-32b"},
    {"qwen2-vl-72b-coco"},   {"internvl3-38b"}};

// What the layout divides must be whole. Empty if it is.
std::string remainders(const PlanJob& job, const PlanLayout& layout, const Experiment& experiment) {
  std::string text;
  const auto expect_divides = [&](const char* what, std::uint64_t part, std::uint64_t whole) {
    if (part == 0 || whole % part != 0)
      text += std::string(what) + ' ' + std::to_string(part) + " of " + std::to_string(whole) + "; ";
  };
  const std::uint64_t replica = std::uint64_t{layout.ranks} * layout.tensor * layout.context;
  if (replica * layout.replicas != layout.devices) text += "devices; ";
  if (std::uint64_t{layout.replicas} * layout.microbatches * layout.microbatch != job.batch)
    text += "batch; ";
  expect_divides("expert", layout.expert, std::uint64_t{layout.tensor} * layout.context * layout.replicas);
  const auto& architecture = on_platform(experiment.costs)->blocks.back().architecture;
  if (const std::uint32_t experts = routed_experts(architecture))
    expect_divides("experts", layout.expert, experts);
  const ScheduleSpec& schedule = experiment.schedules.front();
  // Those of a transposed encoder are no part of a stage.
  std::uint64_t layers = transposes(schedule.schedule) ? schedule.cut.boundaries.front() : 0;
  for (const std::uint32_t stage : schedule.layers_per_rank) layers += stage;
  if (!schedule.layers_per_rank.empty() && layers != experiment.model.layer_count()) text += "layers; ";
  return text;
}

// Megatron interleaves only whole groups of microbatches.
std::string group_remainder(const PlanLayout& layout, const LaunchJob& launched) {
  if (launched.microbatch_group == 0 || layout.microbatches % launched.microbatch_group == 0) return "";
  return std::to_string(layout.microbatches) + " microbatches in groups";
}

class TenJobs : public ::testing::TestWithParam<PlannedJob> {};

void expect_row(const PlanJob& job, const ShownPlan& plan, int& launched) {
  SCOPED_TRACE(plan.experiment);
  const Experiment experiment = parse_experiment(plan.experiment, "row.json", {});
  EXPECT_EQ(remainders(job, plan.plan.layout, experiment), "");
  if (!plan.launch.launch) {
    EXPECT_FALSE(plan.launch.reason.empty());
    return;
  }
  ++launched;
  LaunchOptions options;
  options.platform = text_at(parsed_document(plan.experiment), {"platform"});
  options.images = "coco_val2017";
  options.text_tokens = 200;
  EXPECT_EQ(lost(experiment, 0, *plan.launch.launch, options), "");
  EXPECT_EQ(group_remainder(plan.plan.layout, job_of(experiment)), "");
  const LaunchWriter& writer = launch_writer(*plan.launch.framework);
  expect_known_options(writer.name, *plan.launch.launch, std::string(writer.title));
}

TEST_P(TenJobs, EveryRowIsReadBackAsItWasWritten) {
  if (!GetParam().quick && !testing::is_nightly()) GTEST_SKIP() << "takes minutes";
  const std::string path = SPILLWAY_SOURCE_DIR "/workloads/jobs/" + GetParam().name + ".json";
  const PlanAnswer answer = plan_job({.source = Source(path)}, nullptr);
  int launched = 0;
  for (const ShownPlan& plan : answer.report.plans) expect_row(*answer.job, plan, launched);
  EXPECT_TRUE(launched > 0 || !GetParam().quick);
}

INSTANTIATE_TEST_SUITE_P(Jobs, TenJobs, ::testing::ValuesIn(kTenJobs), [](const auto& one) {
  std::string name = one.param.name;
  std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
  return name;
});

}  // namespace
}  // namespace spillway
