// Clusters with several frameworks: how they are stated, the best of each, and what can be launched.
#include "launch/write/frameworks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "launch/software/software.h"
#include "search/answer/plan_figures.h"
#include "search/answer/spread.h"
#include "search/plan_value.h"
#include "small_jobs.h"
#include "support/nightly.h"
#include "support/schema_check.h"

namespace spillway {
namespace {

JobJson job_on(const JobJson& frameworks) {
  JobJson job = text_job();
  job["clusters"][0]["devices"] = {8};
  job["clusters"][0]["frameworks"] = frameworks;
  job["search"]["schedules"] = {"1f1b", "zb-v"};
  return job;
}

Lines wrong_with_frameworks(const JobJson& frameworks) {
  return complaints([&] { job_from(job_on(frameworks)); });
}

std::vector<std::string> frameworks_in(const PlanJob& job) {
  std::vector<std::string> names;
  for (const JobCluster& cluster : job.clusters)
    names.push_back(cluster.is_bound ? "bound" : cluster.framework);
  return names;
}

SearchResult search_of(const PlanJob& job, std::size_t top = 3) {
  return searched(job, legal_layouts(job), top);
}

PlanReport report_of_frameworks(const PlanJob& job) {
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  LayoutEvaluator evaluator(job, layouts);
  return report_of(job, searched(job, layouts, 3), evaluator.layers(), 3);
}

TEST(PlanFrameworks, OneIsAListOfOne) {
  JobJson single = job_on("none");
  single["clusters"][0].erase("frameworks");
  single["clusters"][0]["framework"] = "nemo";
  const PlanJob one = job_from(single), listed = job_from(job_on({"nemo"}));
  EXPECT_EQ(frameworks_in(one), (std::vector<std::string>{"nemo"}));
  EXPECT_EQ(search_of(one).plans.front().value, search_of(listed).plans.front().value);
}

TEST(PlanFrameworks, AnyIsEveryOneThatRunsThereAndTheBound) {
  JobJson absent = job_on("any");
  const std::vector<std::string> any = frameworks_in(job_from(absent));
  absent["clusters"][0].erase("frameworks");
  EXPECT_EQ(any, frameworks_in(job_from(absent)));
  EXPECT_EQ(any.back(), "bound");
  const std::set<std::string> names(any.begin(), any.end());
  EXPECT_EQ(names.size(), any.size());
  for (const char* runs : {"megatron-overlapped", "torchtitan-compiled", "hf-fsdp2"})
    EXPECT_TRUE(names.contains(runs)) << runs;
  for (const char* none : {"mindspeed", "megatron-moe", "mindspeed-mm", "megatron-bridge-vl-eager"})
    EXPECT_FALSE(names.contains(none)) << none;
  absent["clusters"][0]["platform"] = shipped("platforms/cloudmatrix384.json");
  EXPECT_EQ(frameworks_in(job_from(absent)), (std::vector<std::string>{"mindspeed", "bound"}));
}

// Frameworks that price every layout alike are planned once.
TEST(PlanFrameworks, ThatDifferInNothingArePlannedOnce) {
  const auto copy = nlohmann::ordered_json::parse(content_of(shipped("platforms/frameworks/nemo.json")));
  auto renamed = copy, faster = copy;
  renamed["note"] = "another note";
  renamed["operators"]["delta rule"]["forward_kernels"] = {
      {"value", 900}, {"kind", "assumed"}, {"source", "no layer has one"}};
  faster["step_end"]["between_us"].erase("interval");
  faster["step_end"]["between_us"]["value"] = 1;
  const std::string same = written("same.json", renamed.dump()), other = written("other.json", faster.dump());
  const PlanJob job = job_from(job_on({"nemo", same, other}));
  EXPECT_EQ(frameworks_in(job), (std::vector<std::string>{"nemo", "other"}));
  EXPECT_EQ(job.clusters[0].alike, (std::vector<std::string>{"same"}));
}

TEST(PlanFrameworks, WhatIsWrongWithThemIsSaid) {
  const std::string at = "job.json: /clusters/0/frameworks";
  EXPECT_EQ(wrong_with_frameworks(JobJson::array()),
            Lines{at + ": expected at least one value, found an empty list"});
  EXPECT_EQ(wrong_with_frameworks("nemo"),
            Lines{at + ": expected \"any\", \"none\", or a list of frameworks, found \"nemo\""});
  EXPECT_EQ(wrong_with_frameworks({"nemo", shipped("platforms/frameworks/nemo.json")}).size(), 1u);
  EXPECT_EQ(wrong_with_frameworks({"nemo", "nemo"}),
            Lines{at + "/1: expected each framework once, found \"nemo\""});
  EXPECT_EQ(wrong_with_frameworks({"nemo", "mindspeed"}),
            Lines{at + "/1: expected a framework that runs on HGX H100, found \"mindspeed\""});
  const Lines unknown = wrong_with_frameworks({"torchtitan-compile", 7});
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_TRUE(unknown[0].starts_with(at + "/1: expected the name of a framework")) << unknown[0];
  const Lines gone = wrong_with_frameworks({"nemo", "torchtitan-compile"});
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_TRUE(gone[0].starts_with(at + "/1: expected a readable file")) << gone[0];
  EXPECT_NE(gone[0].find("torchtitan-compiled"), std::string::npos) << gone[0];
}

TEST(PlanFrameworks, AreStatedOnce) {
  JobJson both = job_on({"nemo"});
  both["clusters"][0]["framework"] = "nemo";
  EXPECT_EQ(
      complaints([&] { job_from(both); }),
      Lines{"job.json: /clusters/0/framework: expected no such key beside frameworks, which lists all of "
            "them, found \"nemo\""});
  JobJson changed = job_on({"nemo", "torchtitan-eager"});
  changed["clusters"][0]["framework_set"] = {{"/fused_loss", false}};
  const Lines found = complaints([&] { job_from(changed); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(
      found[0].starts_with("job.json: /clusters/0/framework_set: expected no such key without exactly"))
      << found[0];
  changed["clusters"][0]["frameworks"] = {"nemo"};
  EXPECT_EQ(frameworks_in(job_from(changed)), (std::vector<std::string>{"nemo"}));
}

// A model of three blocks is nobody's.
TEST(PlanFrameworks, AClusterWithoutOneForTheModelSaysSo) {
  JobJson job = image_job();
  job["clusters"][0]["frameworks"] = "any";
  JobJson second = job["model"]["blocks"][1];
  second["name"] = "draft";
  job["model"]["blocks"].push_back(second);
  const Lines found = complaints([&] { job_from(job); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with("job.json: /clusters/0/frameworks: expected a list of frameworks"))
      << found[0];
  EXPECT_NE(found[0].find("enc, llm, draft on HGX H100"), std::string::npos) << found[0];
}

// Software without the family is left out of "any", which is said, and refused where it is listed.
TEST(PlanFrameworks, RunOnlyModelsThatTheyHave) {
  JobJson job = image_job();
  job["clusters"][0]["frameworks"] = "any";
  const PlanJob any = job_from(job);
  EXPECT_EQ(frameworks_in(any),
            (std::vector<std::string>{"megatron-swift-vl", "hf-fsdp2", "hf-deepspeed", "bound"}));
  const std::vector<std::string>& left = any.clusters[0].without_model;
  for (const char* without : {"megatron-eager", "megatron-bridge-vl-eager", "torchtitan-compiled"})
    EXPECT_NE(std::ranges::find(left, without), left.end()) << without;
  job["clusters"][0]["frameworks"] = {"megatron-eager", "megatron-bridge-vl-eager", "hf-fsdp2"};
  const std::string expected = "expected a framework that trains this model, found ";
  EXPECT_EQ(complaints([&] { job_from(job); }),
            (Lines{"job.json: /clusters/0/frameworks/0: " + expected +
                       "\"megatron-eager\": it trains no models with images",
                   "job.json: /clusters/0/frameworks/1: " + expected +
                       "\"megatron-bridge-vl-eager\": it has no qwen2_vl"}));
}

TEST(PlanFrameworks, LeftOutForTheirModelsAreSaid) {
  JobJson job = image_job();
  job["batch"]["sequences"] = 8;
  job["clusters"][0]["devices"] = {8};
  job["clusters"][0]["frameworks"] = "any";
  job["search"]["data"] = {"zero3"};
  job["search"]["tensor"] = {1};
  job["search"]["schedules"] = {"1f1b"};
  const auto document = nlohmann::json::parse(plans_json(report_of_frameworks(job_from(job))));
  EXPECT_NE(document["assumptions"].dump().find("are left out, without a model of these images"),
            std::string::npos)
      << document["assumptions"].dump(1);
}

// A job that states no dispatch takes the framework's, and writes it.
TEST(PlanFrameworks, DecideHowTokensAreDispatched) {
  JobJson document = job_on({"megatron-bridge", "megatron-overlapped"});
  document["model"]["blocks"][0]["architecture"] = shipped("workloads/models/qwen3-30b-a3b/config.json");
  document["model"]["blocks"][0]["layers"] = 4;
  document["search"]["expert"] = {1, 8};
  const PlanJob job = job_from(document);
  ASSERT_EQ(job.clusters.size(), 2u);
  EXPECT_EQ(job.clusters[0].analytic().costs.parallelism.dispatch, ExpertDispatch::PerNode);
  EXPECT_EQ(job.clusters[1].analytic().costs.parallelism.dispatch, ExpertDispatch::PerExpert);
  for (const PlanLayout& layout : legal_layouts(job)) {
    const Experiment experiment = experiment_of(job, layout);
    const auto text = nlohmann::json::parse(experiment_text(job, layout, experiment.schedules.front()));
    const bool exchanges = layout.expert > 1;
    ASSERT_EQ(text["parallel"].contains("dispatch"), exchanges);
    if (!exchanges) continue;
    ASSERT_EQ(text["parallel"]["dispatch"], layout.cluster == 0 ? "per-node" : "per-expert");
  }
  document["parallel"] = {{"dispatch", "all-gather"}};
  const PlanJob stated = job_from(document);
  for (const JobCluster& cluster : stated.clusters)
    EXPECT_EQ(cluster.analytic().costs.parallelism.dispatch, ExpertDispatch::AllGather);
}

// The stages of a plan are those that its framework can express.
TEST(PlanFrameworks, DecideHowStagesAreSplit) {
  JobJson document = image_job();
  document["clusters"][0]["devices"] = {8};
  document["clusters"][0]["frameworks"] = {"megatron-swift-vl"};
  document["model"]["blocks"][0]["layers"] = 12;
  document["search"]["schedules"] = {"1f1b"};
  document["search"]["ranks"] = {4};
  const PlanJob job = job_from(document);
  SampleCache samples;
  StageLayers layers(job, samples);
  for (const PlanLayout& layout : legal_layouts(job))
    ASSERT_EQ(layers.experiment_of(layout).schedules.front().layers_per_rank,
              (std::vector<std::uint32_t>{13, 1, 1, 1}));
}

// The bound is printed beside the plans, and never one of them.
TEST(PlanFrameworks, TheBoundIsNeverRecommended) {
  const PlanJob job = job_from(job_on("any"));
  const SearchResult found = search_of(job, 1000);
  for (const EvaluatedPlan& plan : found.plans) EXPECT_FALSE(job.clusters[plan.layout.cluster].is_bound);
  ASSERT_TRUE(found.answers.back().best);
  EXPECT_TRUE(job.clusters[found.answers.back().cluster].is_bound);
  EXPECT_FALSE(found.answers.back().launchable);
}

// A framework's software decides how its layouts treat images, unless the job says it.
TEST(PlanFrameworks, DecideHowImagesAreTreated) {
  JobJson document = image_job();
  document["clusters"][0]["frameworks"] = {"megatron-swift-vl", "hf-fsdp2"};
  const PlanJob job = job_from(document);
  EXPECT_EQ(job.clusters[0].analytic().costs.parallelism.images, EncoderImages::Repeated);
  for (const PlanLayout& layout : legal_layouts(job)) {
    if (layout.cluster != 1) continue;
    ASSERT_EQ(layout.ranks * layout.tensor * layout.context * layout.expert, 1u);
  }
  document["parallel"] = {{"images", "split"}};
  EXPECT_EQ(job_from(document).clusters[0].analytic().costs.parallelism.images, EncoderImages::Split);
}

bool is_launchable(const PlanLayout& layout, StageLayers& layers) {
  const Experiment experiment = layers.experiment_of(layout);
  return launch_offer(experiment, experiment.schedules.front()).launch.has_value();
}

// Every layout evaluated and asked for its launch, against the answers of the search.
void expect_answers(const PlanJob& job) {
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  LayoutEvaluator evaluator(job, layouts);
  const SearchResult found = searched(job, layouts, 2);
  for (const FrameworkAnswer& answer : found.answers) {
    std::optional<double> best, launchable;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      if (layouts[i].cluster != answer.cluster) continue;
      const PointOutcome outcome = evaluator(i);
      if (!outcome.refusal.empty() || outcome.schedules[0].makespans.empty()) continue;
      const JobCluster& cluster = job.clusters[answer.cluster];
      const double may = cluster.base.memory_limit ? 1 : 1 - job.limits.memory_headroom;
      if (fits(outcome.schedules[0].peak_memory, *outcome.memory_limit * may) == false) continue;
      const Seconds step = mean_makespan(outcome.schedules[0]);
      const double value = job.objective == Objective::Usd
                               ? (step * cluster.platform().price->value).value() * layouts[i].devices
                               : step.value();
      best = std::min(value, best.value_or(value));
      if (!cluster.is_bound && is_launchable(layouts[i], evaluator.layers()))
        launchable = std::min(value, launchable.value_or(value));
    }
    ASSERT_EQ(answer.best.has_value(), best.has_value());
    ASSERT_EQ(answer.launchable.has_value(), launchable.has_value());
    EXPECT_EQ(best, answer.best ? std::optional(answer.best->value) : std::nullopt);
    EXPECT_EQ(launchable, answer.launchable ? std::optional(answer.launchable->value) : std::nullopt);
    EXPECT_EQ(answer.why.empty(), best.has_value());
    if (best && launchable && *best == *launchable) continue;
    EXPECT_EQ(answer.unlaunched.empty(), !best || job.clusters[answer.cluster].is_bound);
  }
}

TEST(PlanFrameworks, GiveWhatEveryLayoutEvaluatedGives) {
  expect_answers(job_from(job_on("any")));
  if (!testing::is_nightly()) return;
  JobJson images = image_job();
  images["batch"]["sequences"] = 8;
  images["clusters"][0]["devices"] = {8};
  images["clusters"][0]["frameworks"] = "any";
  images["search"]["data"] = {"zero1", "zero3"};
  images["search"]["schedules"] = {"1f1b", "transpose,1f1b"};
  expect_answers(job_from(images));
}

// Asked for launchable layouts, the search finds these alone, and the best of them.
TEST(PlanFrameworks, LaunchableLeavesOutTheOthers) {
  PlanJob job = job_from(job_on({"megatron-overlapped", "torchtitan-compiled"}));
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  LayoutEvaluator evaluator(job, layouts);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (!is_launchable(layouts[i], evaluator.layers())) continue;
    const PointOutcome outcome = evaluator(i);
    if (outcome.refusal.empty() && !outcome.schedules[0].makespans.empty())
      best = std::min(best, plan_of(job, layouts[i], outcome).value);
  }
  job.launchable = true;
  const SearchResult some = search_of(job);
  ASSERT_FALSE(some.plans.empty());
  EXPECT_EQ(some.plans.front().value, best);
  for (const EvaluatedPlan& plan : some.plans) EXPECT_TRUE(is_launchable(plan.layout, evaluator.layers()));
  EXPECT_GT(some.counts.unlaunchable, 0u);
  EXPECT_NE(some.counts.unlaunchable_reason, "");
  EXPECT_EQ(some.counts.unlaunchable + some.counts.pruned_by_memory + some.counts.pruned_by_bound +
                some.counts.evaluated,
            layouts.size());
}

TEST(PlanFrameworks, NoneThatCanBeLaunchedIsSaid) {
  PlanJob job = job_from(job_on({"nanotron"}));
  job.launchable = true;
  const SearchResult none = search_of(job);
  EXPECT_TRUE(none.plans.empty());
  EXPECT_NE(none.refusal.find("no plan can be launched"), std::string::npos) << none.refusal;
  EXPECT_NE(none.refusal.find("no launch is written for nanotron"), std::string::npos) << none.refusal;
}

// A job is narrowed to one of its frameworks, and clusters that do not run it are left out.
TEST(PlanFrameworks, OfAJobMayBeNarrowedToOne) {
  JobJson document = job_on({"nemo", "torchtitan-eager"});
  document["clusters"].push_back({{"platform", shipped("platforms/cloudmatrix384.json")}, {"devices", {8}}});
  const std::string path = written("job.json", document.dump());
  const PlanJob whole = read_plan_job(path), narrow = read_plan_job(path, "nemo");
  EXPECT_EQ(frameworks_in(narrow), (std::vector<std::string>{"nemo"}));
  EXPECT_NE(whole.identity, narrow.identity);
  ASSERT_EQ(narrow.left_out.size(), 1u);
  EXPECT_TRUE(narrow.left_out[0].ends_with("is left out, since nemo is not among its frameworks"));
  EXPECT_EQ(complaints([&] { read_plan_job(path, "megatron"); }),
            Lines{"command line: --framework: expected one of the frameworks of its clusters: nemo, "
                  "torchtitan-eager, mindspeed, found \"megatron\""});
}

TEST(PlanFrameworks, ArePrinted) {
  const PlanJob job = job_from(job_on("any"));
  const PlanReport report = report_of_frameworks(job);
  const auto document = nlohmann::json::parse(plans_json(report));
  EXPECT_EQ(testing::SchemaCheck("plans").complaints(document), "");
  ASSERT_EQ(document["software"].size(), 1u);
  const auto& frameworks = document["software"][0]["frameworks"];
  EXPECT_EQ(frameworks.size(), job.clusters.size() - 1);
  double before = 0;
  for (const auto& one : frameworks) {
    if (one["best"].is_null()) continue;
    const double cost = one["best"]["usd"];
    EXPECT_GE(cost, before);
    before = cost;
  }
  const std::string text = plans_text(report);
  EXPECT_NE(text.find("\nsoftware on HGX H100: the best of each framework"), std::string::npos) << text;
  EXPECT_NE(text.find("no software reaches less than: "), std::string::npos) << text;
  EXPECT_TRUE(document["software"][0]["bound"]["holds"]);
}

}  // namespace
}  // namespace spillway
