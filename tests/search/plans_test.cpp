// The printed plans against the experiments that come with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "input/experiment/experiment.h"
#include "search/answer/plan_figures.h"
#include "small_jobs.h"
#include "support/schema_check.h"

namespace spillway {
namespace {

PlanReport report_of_job(const PlanJob& job, const std::vector<PlanLayout>& layouts) {
  LayoutEvaluator evaluator(job, layouts);
  return report_of(job, searched(job, layouts, 4), evaluator.layers(), 4);
}

bool is_uneven(const std::string& experiment) {
  const auto schedule = nlohmann::json::parse(experiment)["schedules"][0];
  if (!schedule.contains("layers_per_rank")) return false;
  const auto layers = schedule["layers_per_rank"].get<std::vector<int>>();
  return std::ranges::max(layers) - std::ranges::min(layers) > 1;
}

// Compares bit by bit.
void expect_experiments_to_give_the_plans(const JobJson& document) {
  const PlanJob job = job_from(document);
  const PlanReport report = report_of_job(job, legal_layouts(job));
  ASSERT_GE(report.plans.size(), 3u);
  for (const ShownPlan& shown : report.plans) {
    Caches caches;
    const PointOutcome again = evaluate_point(parse_experiment(shown.experiment, "/x.json", {}), caches);
    EXPECT_EQ(again.schedules, shown.plan.outcome.schedules) << shown.experiment;
    EXPECT_EQ(again.accounts, shown.plan.outcome.accounts);
    EXPECT_EQ(again.memory_limit, shown.plan.outcome.memory_limit);
  }
}

TEST(Plans, ComeWithExperimentsThatGiveThem) {
  expect_experiments_to_give_the_plans(text_job());
}

TEST(Plans, ComeWithExperimentsThatGiveThemWithImages) {
  JobJson job = image_job();
  job["clusters"][0]["devices"] = {8};
  job["clusters"][0]["price_per_device_hour_usd"] = 7.25;
  job["clusters"][0]["memory_limit_gb"] = 60;
  job["parallel"] = {{"tensor_overlap", "none"}};
  job["search"]["data"] = {"zero1"};
  job["search"]["schedules"] = {"transpose,1f1b", "1f1b"};
  job["search"]["ranks"] = {2};
  job["model"]["blocks"][0]["layers"] = 8;
  expect_experiments_to_give_the_plans(job);
  const PlanJob planned = job_from(job);
  EXPECT_TRUE(std::ranges::any_of(report_of_job(planned, legal_layouts(planned)).plans,
                                  [](const ShownPlan& shown) { return is_uneven(shown.experiment); }));
}

TEST(Plans, ComeWithExperimentsThatGiveThemOfSystems) {
  for (const char* system : {"disttrain", "encode-first", "encode-in-bubbles", "mpipe", "optimus"}) {
    JobJson job = systems_job();
    job["model"]["blocks"][0]["layers"] = 8;
    job["search"]["schedules"] = {{{"system", system}}};
    expect_experiments_to_give_the_plans(job);
  }
}

TEST(Plans, SayWhereLittleMemoryIsLeft) {
  JobJson job = text_job();
  const std::string text = plans_text(report_of_job(job_from(job), legal_layouts(job_from(job))));
  const std::string warning = "of the device's memory is left", headroom = "memory_headroom";
  EXPECT_NE(text.find(" left"), std::string::npos) << text;
  EXPECT_EQ(text.find(warning), std::string::npos) << text;
  EXPECT_NE(text.find("5 % of a device's memory stays free"), std::string::npos) << text;
  const PlanJob roomy = job_from(job);
  const PlanReport report = report_of_job(roomy, legal_layouts(roomy));
  const Bytes peak = *report.plans.front().plan.outcome.schedules.front().peak_memory;
  for (auto& cluster : job["clusters"]) cluster["memory_limit_gb"] = peak.value() * 1.01e-9;
  const PlanJob narrow = job_from(job);
  const std::string said = plans_text(report_of_job(narrow, legal_layouts(narrow)));
  EXPECT_NE(said.find("1.0 % of it left"), std::string::npos) << said;
  EXPECT_EQ(said.find(warning), said.rfind(warning)) << said;
  EXPECT_NE(said.find(warning), std::string::npos) << said;
  EXPECT_EQ(said.find(headroom), std::string::npos) << said;
}

TEST(Plans, AreOneDocument) {
  const PlanJob job = job_from(text_job());
  const PlanReport report = report_of_job(job, legal_layouts(job));
  const auto document = nlohmann::json::parse(plans_json(report));
  EXPECT_EQ(testing::SchemaCheck("plans").complaints(document), "");
  const auto& best = document["plans"][0];
  EXPECT_EQ(best["tie"], 1);
  const double step = best["step_s"], devices = best["devices"];
  EXPECT_NEAR(best["usd_per_1e12_useful_tokens"].get<double>(),
              step / 3600 * 2.65 * devices / (16 * 2048) * 1e12, 1);
  EXPECT_NEAR(best["days"].get<double>(), 1e9 / (16 * 2048) * step / 86400, 1e-9);
  const std::string text = plans_text(report);
  EXPECT_NE(text.find("told apart: layouts of HGX H100 if they differ by more than 6.0 %"), std::string::npos)
      << text;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 100u) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

// A cluster that is far dearer has no plan among the first, and is shown all the same.
TEST(Plans, HaveTheBestOfEachClusterBehindTheFirst) {
  JobJson document = text_job();
  JobJson dear = document["clusters"][0];
  dear["platform"] = shipped("platforms/hgx-a100.json");
  dear["price_per_device_hour_usd"] = 100;
  dear["devices"] = {4, 8};
  JobJson narrow = document["clusters"][0];
  narrow["devices"] = {2};
  narrow["memory_limit_gb"] = 1e-3;
  document["clusters"] = {document["clusters"][0], dear, narrow};
  const PlanJob job = job_from(document);
  const PlanReport report = report_of_job(job, legal_layouts(job));
  EXPECT_TRUE(report.plans.front().leads);
  ASSERT_EQ(report.bests.size(), 4u);
  for (const ClusterBest& best : report.bests) {
    const PlanLayout& leads = report.plans[best.plan].plan.layout;
    EXPECT_EQ(leads.cluster, best.optimum.layout.cluster);
    EXPECT_EQ(leads.devices, best.optimum.layout.devices);
    EXPECT_LE(best.optimum.value, report.plans[best.plan].plan.value);
    EXPECT_TRUE(leads.cluster != 1 || best.plan >= 4);
  }
  ASSERT_EQ(report.without.size(), 1u);
  EXPECT_EQ(report.without.front().devices, 2u);
  const std::string text = plans_text(report);
  EXPECT_NE(text.find("HGX A100    8 "), std::string::npos) << text;
  EXPECT_NE(text.find("2 devices of HGX H100: no plan fits: the nearest"), std::string::npos) << text;
  const auto printed = nlohmann::json::parse(plans_json(report));
  EXPECT_EQ(testing::SchemaCheck("plans").complaints(printed), "");
  ASSERT_EQ(printed["clusters"].size(), 3u);
  EXPECT_EQ(printed["clusters"][0]["plan"], 1);
  EXPECT_EQ(printed["clusters"][1]["by_devices"].size(), 2u);
  EXPECT_TRUE(printed["clusters"][2]["plan"].is_null());
}

// Half the devices at nearly the same cost, and a cluster that is both slower and dearer.
TEST(Plans, MarkTheFrontierOfTimeAndCost) {
  JobJson document = text_job();
  JobJson dear = document["clusters"][0];
  dear["platform"] = shipped("platforms/hgx-a100.json");
  dear["price_per_device_hour_usd"] = 100;
  dear["devices"] = {8};
  document["clusters"].push_back(dear);
  const PlanJob job = job_from(document);
  const PlanReport report = report_of_job(job, legal_layouts(job));
  for (const ClusterBest& one : report.bests) {
    const auto cost = [&](const ClusterBest& best) { return best.optimum.price->value(); };
    const bool beaten = std::ranges::any_of(report.bests, [&](const ClusterBest& other) {
      return other.optimum.step <= one.optimum.step && cost(other) <= cost(one) && &other != &one;
    });
    EXPECT_EQ(one.on_frontier, !beaten);
  }
  EXPECT_FALSE(report.bests.back().on_frontier);
}

PlanLayout laid_out() {
  return {.cluster = 0,
          .devices = 32,
          .ranks = 4,
          .tensor = 2,
          .context = 1,
          .expert = 1,
          .replicas = 4,
          .microbatches = 4,
          .microbatch = 1,
          .recompute = Recompute::Full,
          .data = DataParallel::Zero1,
          .schedule = 0};
}

// The launch of a layout, or the reason why there is none.
std::string launch_of(const PlanJob& job, const PlanLayout& layout, LaunchFramework framework) {
  const Experiment experiment = experiment_of(job, layout);
  const LaunchAnswer answer = write_launch(experiment, experiment.schedules.front(), framework);
  if (const auto* written = std::get_if<WrittenLaunch>(&answer)) return written->arguments;
  return "no: " + joined(std::get<LaunchReasons>(answer), "; ");
}

TEST(PlanLaunches, AreTheFrameworksOwnWords) {
  const PlanJob job = job_from(text_job());
  PlanLayout layout = laid_out();
  EXPECT_EQ(launch_of(job, layout, LaunchFramework::MegatronLm).substr(0, 89),
            "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 4 --context-parallel-size 1");
  layout.schedule = 3;
  EXPECT_NE(launch_of(job, layout, LaunchFramework::MegatronLm).find("it has no schedule zb-v"),
            std::string::npos);
  layout.recompute = Recompute::Alternate;
  EXPECT_NE(launch_of(job, layout, LaunchFramework::MegatronLm).find("every second matrix product"),
            std::string::npos);
}

TEST(PlanLaunches, OfModelsWithAnEncoderSayWhy) {
  const PlanJob job = job_from(image_job());
  EXPECT_NE(launch_of(job, laid_out(), LaunchFramework::MegatronLm).find("no: "), std::string::npos);
}

// Every row has a launch or a reason, never both.
TEST(PlanLaunches, ComeWithEveryPlanOrAReason) {
  const PlanJob job = job_from(text_job());
  const PlanReport report = report_of_job(job, legal_layouts(job));
  const auto document = nlohmann::json::parse(plans_json(report));
  for (const auto& plan : document["plans"]) {
    EXPECT_NE(plan["launch"].is_null(), plan["launch_reason"].is_null()) << plan["schedule"];
    if (!plan["launch"].is_null()) {
      EXPECT_GE(plan["launch"]["files"].size(), 1u);
    }
  }
}

}  // namespace
}  // namespace spillway
