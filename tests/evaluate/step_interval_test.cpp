// Checks that a step's interval contains the step, repeats exactly, is wider where less is known, and is
// compared with measurements.
#include "evaluate/step_interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/run_cases.h"
#include "input/experiment/experiment.h"
#include "support/engines.h"
#include "support/shipped.h"

namespace spillway {
namespace {

using testing::kLongestPath;
using testing::kSource;

std::optional<StepInterval> interval_of(const std::string& name, const std::vector<Setting>& settings = {}) {
  const Experiment experiment = read_experiment(kSource + "/workloads/experiments/" + name, settings);
  OrderCache orders;
  const std::vector<StepInterval> intervals =
      step_intervals(experiment, std::span(experiment.schedules).first(1), orders);
  return intervals.empty() ? std::nullopt : std::optional(intervals.front());
}

TEST(StepInterval, GivenDurationsHaveNone) {
  EXPECT_FALSE(interval_of("small.json").has_value());
}

TEST(StepInterval, LiesAroundTheStepAndIsTheSameTwice) {
  const auto one = interval_of("ascend-910b-pp2.json"), again = interval_of("ascend-910b-pp2.json");
  ASSERT_TRUE(one.has_value());
  EXPECT_LT(one->low, 1);
  EXPECT_GT(one->high, 1);
  EXPECT_EQ(one->draws, 100u);
  EXPECT_EQ(one->low, again->low);
  EXPECT_EQ(one->high, again->high);
}

// Compares a job on a platform with measured products and on one known from a data sheet.
TEST(StepInterval, IsWiderWhereLessIsKnown) {
  const auto measured = interval_of("qwen2-vl-72b.json", {{"/pipeline/replicas", "1"}});
  const auto sheet =
      interval_of("qwen2-vl-72b.json",
                  {{"/pipeline/replicas", "1"}, {"/platform", kSource + "/platforms/cloudmatrix384.json"}});
  EXPECT_LT(measured->high / measured->low, sheet->high / sheet->low);
}

// Uncertainty that both steps share leaves their ratio alone, so the ratio is far better known than either
// step.
TEST(StepInterval, OfASpeedupHasBothStepsUnderTheSameDraws) {
  // An assumed host would slow one of the schedules down alone.
  const Experiment experiment = read_experiment(kSource + "/workloads/experiments/qwen2-vl-72b.json",
                                                {{"/framework", R"("megatron-eager")"}});
  OrderCache orders;
  const std::vector<StepInterval> steps = step_intervals(experiment, experiment.schedules, orders);
  ASSERT_GE(steps.size(), 2u);
  const StepInterval over = speedup_interval(steps[0], steps[1]);
  EXPECT_EQ(over.draws, 100u);
  EXPECT_LE(over.low, 1);
  EXPECT_GE(over.high, 1);
  EXPECT_LT(over.high / over.low, 0.5 * (steps[0].high / steps[0].low - 1) + 1);
  const StepInterval itself = speedup_interval(steps[0], steps[0]);
  EXPECT_EQ(itself.low, 1);
  EXPECT_EQ(itself.high, 1);
}

// Schedules that a drawn machine prices together see the machines that each sees alone.
TEST(StepInterval, OfSchedulesTogetherIsThatOfEachAlone) {
  for (const char* name : {"experiment-a.json", "modules.json", "qwen2-vl-72b.json"}) {
    const Experiment experiment = read_experiment(kSource + "/workloads/experiments/" + name, {});
    OrderCache orders;
    const std::vector<StepInterval> together = step_intervals(experiment, experiment.schedules, orders);
    ASSERT_GE(together.size(), 2u) << name;
    for (std::size_t i = 0; i < together.size(); ++i) {
      const auto alone = step_intervals(experiment, std::span(experiment.schedules).subspan(i, 1), orders);
      EXPECT_EQ(alone.front().by_draw, together[i].by_draw) << name << ", schedule " << i;
    }
  }
}

std::vector<IntervalPart> parts_of(const std::string& name, const std::vector<Setting>& settings = {}) {
  const Experiment experiment = read_experiment(kSource + "/workloads/experiments/" + name, settings);
  OrderCache orders;
  return interval_parts(experiment, experiment.schedules.front(), orders);
}

double share_of(const std::vector<IntervalPart>& parts, Unknown unknown) {
  const auto found = std::ranges::find(parts, unknown, &IntervalPart::unknown);
  return found == parts.end() ? 0 : found->share;
}

// Text has no padding, and a dense model no routing.
TEST(StepInterval, SaysWhatItRestsOn) {
  const std::vector<IntervalPart> dense = parts_of("ascend-910b-pp2.json");
  double sum = 0;
  for (const IntervalPart& part : dense) sum += part.share;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_TRUE(std::ranges::is_sorted(dense, std::greater(), &IntervalPart::share));
  EXPECT_EQ(share_of(dense, Unknown::Routing), 0);
  EXPECT_EQ(share_of(dense, Unknown::ExpertProducts), 0);
  EXPECT_EQ(share_of(dense, Unknown::Padding), 0);
  EXPECT_GT(share_of(dense, Unknown::LeftOut), 0);
}

// Equal microbatches lose nothing to padding, and unequal ones that a framework does not pad may.
TEST(StepInterval, PaddingThatNobodyStatesWidensTheUpperEnd) {
  const std::string workload = R"({ "trace": ")" + kSource +
                               R"(/workloads/traces/servegen_image_tokens.csv", "images_per_sample": 1,
                                 "text_tokens": 100, "packing": "unpacked", "samples_per_microbatch": 8 })";
  const std::vector<Setting> unpacked = {{"/pipeline/replicas", "1"},
                                         {"/pipeline/microbatches", "16"},
                                         {"/workload", workload},
                                         {"/framework", R"("megatron-bridge-vl-eager")"}};
  std::vector<Setting> stated = unpacked;
  stated.push_back(
      {"/framework_set", R"({ "/pads_to": { "value": "none", "kind": "vendor", "source": "s" } })"});
  const auto open = interval_of("qwen2-vl-72b.json", unpacked),
             known = interval_of("qwen2-vl-72b.json", stated);
  EXPECT_GT(open->high, known->high);
  EXPECT_GT(share_of(parts_of("qwen2-vl-72b.json", unpacked), Unknown::Padding), 0);
  EXPECT_EQ(share_of(parts_of("qwen2-vl-72b.json", stated), Unknown::Padding), 0);
}

// A short step: the time between steps that nobody states is 60 ms at most, with an account of the step's end
// and without one.
TEST(StepInterval, TheTimeBetweenStepsIsDrawnWithAndWithoutAnAccount) {
  const std::vector<Setting> job = {{"/pipeline/microbatches", "2"}};
  const auto ends = [&](const char* framework) {
    std::vector<Setting> with = job;
    with.push_back({"/framework", framework});
    const std::vector<IntervalPart> parts = parts_of("qwen2-vl-72b.json", with);
    return share_of(parts, Unknown::StepEnd);
  };
  EXPECT_GT(ends(R"("hf-fsdp2")"), 0);
  EXPECT_GT(ends(R"("megatron-overlapped")"), 0);
}

CaseResult within(double low, double high, double measured, bool fitted) {
  CaseResult one{
      {.name = "x", .step = Seconds(measured), .blind = {}, .memory = {}, .fitted = fitted}, Seconds(1), {}};
  one.interval = {low, high, 100};
  return one;
}

TEST(Coverage, CountsCasesThatNothingWasFittedTo) {
  const std::vector<CaseResult> cases = {within(0.9, 1.1, 1.05, false), within(0.9, 1.1, 1.2, false),
                                         within(0.9, 1.1, 0.8, true), within(0.9, 1.1, 0.9, false)};
  EXPECT_EQ(coverage(cases)->held, 2u);
  EXPECT_EQ(coverage(cases)->of, 3u);
  EXPECT_FALSE(coverage({cases[2]}).has_value());
}

}  // namespace
}  // namespace spillway
