// The bounds of layouts against their evaluations.
#include "search/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "from_scratch.h"
#include "small_jobs.h"

namespace spillway {
namespace {

TEST(PlanBounds, AreBelowEveryEvaluation) {
  expect_bounds(job_from(text_job()));
}

TEST(PlanBounds, AreBelowEveryEvaluationWithImages) {
  JobJson job = image_job();
  job["batch"]["sequences"] = 8;
  job["clusters"][0]["devices"] = {8};
  expect_bounds(job_from(job));
}

// A frozen encoder keeps no waiting activations.
TEST(PlanBounds, AreBelowEveryEvaluationOfSystems) {
  JobJson job = systems_job();
  expect_bounds(job_from(job));
  job["model"]["blocks"][0]["trainable"] = false;
  job["search"]["schedules"].push_back({{"system", "mpipe-released"}, {"ownership", "min"}});
  job["search"]["schedules"].push_back({{"system", "mimo"}, {"prefetch", true}});
  expect_bounds(job_from(job));
}

TEST(PlanBounds, AreBelowEveryEvaluationOfExperts) {
  JobJson job = text_job();
  job["model"]["blocks"][0]["architecture"] = shipped("workloads/models/qwen3-30b-a3b/config.json");
  job["clusters"][0]["devices"] = {8};
  expect_bounds(job_from(job));
}

// The size of a microbatch moves layers and their states between the stages, as recomputation does.
TEST(PlanBounds, AreBelowEveryEvaluationWhereRecomputationMovesLayers) {
  JobJson job = text_job();
  job["model"]["blocks"][0]["layers"] = 5;
  job["batch"]["sequences"] = 12;
  job["workload"]["sequence_tokens"] = 4096;
  job["clusters"][0]["devices"] = {8};
  job["search"]["recompute"] = {"alternate"};
  expect_bounds(job_from(job));
}

// Passes of one device in the middle of what the layouts have, with stages that are no sums of their layers.
JobJson measured_job() {
  JobJson job = text_job();
  job["measured"] = {{"passes", JobJson::array()}};
  const auto add = [&](const char* stage, const char* direction, double ms) {
    job["measured"]["passes"].push_back(
        {{"stage", stage}, {"direction", direction}, {"tokens", {2048}}, {"milliseconds", {ms}}});
  };
  for (const auto& [stage, ms] :
       {std::pair("llm:0-1", 9.0), std::pair("llm:1-2", 5.0), std::pair("llm:3-4", 8.0),
        std::pair("llm:0-2", 10.0), std::pair("llm", 40.0)}) {
    add(stage, "forward", ms);
    add(stage, "backward", 2.5 * ms);
  }
  return job;
}

TEST(PlanBounds, AreBelowEveryEvaluationOfMeasuredPasses) {
  JobJson job = measured_job();
  expect_bounds(job_from(job));
  job["measured"]["passes"].erase(8);
  job["measured"]["passes"].erase(8);
  job["measured"]["passes"].push_back(
      {{"stage", "llm:0-2"}, {"direction", "weight_gradient"}, {"tokens", {2048}}, {"milliseconds", {3.0}}});
  expect_bounds(job_from(job));
}

TEST(PlanBounds, AreBelowEveryEvaluationOfMeasuredPassesWithImages) {
  JobJson job = image_job();
  job["batch"]["sequences"] = 8;
  job["clusters"][0]["devices"] = {8};
  job["measured"] = {
      {"passes",
       {{{"stage", "llm:1-2"}, {"direction", "forward"}, {"tokens", {8192}}, {"milliseconds", {9.0}}},
        {{"stage", "enc"}, {"direction", "forward"}, {"patches", {1024}}, {"milliseconds", {4.0}}}}}};
  expect_bounds(job_from(job));
}

// Of the chosen layouts that can be evaluated.
std::vector<double> bounds_over_steps(const JobJson& document,
                                      const std::function<bool(const PlanLayout&)>& chosen) {
  const PlanJob job = job_from(document);
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  FromScratch evaluator(job, layouts);
  LayoutBounds bounds(job, evaluator.layers());
  std::vector<double> all;
  for (std::size_t i = 0; i < layouts.size(); ++i)
    if (chosen(layouts[i]) && evaluator(i).refusal.empty())
      all.push_back(bounds.step(layouts[i]) / mean(evaluator(i).schedules[0]));
  return all;
}

// Measured passes bound as well as the roofline does.
TEST(PlanBounds, AreNearWhatTheyBoundIfPassesAreMeasured) {
  const std::vector<double> all = bounds_over_steps(measured_job(), [](const PlanLayout&) { return true; });
  ASSERT_FALSE(all.empty());
  EXPECT_GT(std::ranges::max(all), 0.9);
}

// One rank of one replica only does its work and updates its parameters.
TEST(PlanBounds, AreNearWhatTheyBound) {
  const auto is_alone = [](const PlanLayout& layout) {
    return layout.ranks == 1 && layout.replicas == 1 && layout.context == 1;
  };
  const std::vector<double> all = bounds_over_steps(text_job(), is_alone);
  ASSERT_FALSE(all.empty());
  EXPECT_GT(std::ranges::min(all), 0.9);
}

}  // namespace
}  // namespace spillway
