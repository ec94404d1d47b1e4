// Plans with failures: what a job states, what follows from it, and what it must not state.
#include "search/plan_goodput.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "goodput/spare_nodes.h"
#include "search/answer/plan_figures.h"
#include "search/stage_passes.h"
#include "small_jobs.h"
#include "support/schema_check.h"

namespace spillway {
namespace {

JobJson failing_job() {
  JobJson job = text_job();
  job["search"]["schedules"] = {"1f1b"};
  job["clusters"][0]["devices"] = {16};
  job["clusters"][0]["reliability"] = {{"device_mtbf_hours", 100},
                                       {"source", "a test"},
                                       {"restart_minutes", 12},
                                       {"checkpoint", {{"write_gb_per_s", 2}}}};
  return job;
}

JobJson& reliability_of(JobJson& job) {
  return job["clusters"][0]["reliability"];
}

Lines complaints_about(const JobJson& document) {
  return complaints([&] { job_from(document); });
}

struct PlannedJob {
  explicit PlannedJob(const JobJson& document)
      : job(job_from(document)), layouts(legal_layouts(job)), evaluator(job, layouts) {}

  const PlanJob job;
  const std::vector<PlanLayout> layouts;
  LayoutEvaluator evaluator;
  const PlanReport report = report_of(job, searched(job, layouts, 4), evaluator.layers(), 4);

  const ShownPlan& best() const { return report.plans.front(); }
  const PlanGoodput& goodput() const { return *best().goodput; }
};

TEST(PlanGoodput, FollowsFromWhatTheJobStates) {
  const PlannedJob planned(failing_job());
  const PlanGoodput& found = planned.goodput();
  EXPECT_DOUBLE_EQ(found.run.between_failures.value(), 100 * 3600 / 16.0);
  EXPECT_EQ(found.run.restart, Seconds(720));
  EXPECT_EQ(found.run.stall, found.checkpoint / BytesPerSecond(2e9));
  EXPECT_EQ(found.run.lag, Seconds());
  EXPECT_EQ(found.steps, best_steps(found.run, planned.best().plan.step, 1));
  EXPECT_DOUBLE_EQ(found.share, goodput(found.run, found.interval));
  EXPECT_DOUBLE_EQ(*found.days, *planned.best().days / found.share);
  EXPECT_DOUBLE_EQ(found.price->value(), planned.best().price->value() / found.share);
  EXPECT_DOUBLE_EQ(*found.failures, *found.days * 86'400 / found.run.between_failures.value());
  EXPECT_NEAR(found.simulated.goodput.mean, found.share, 4 * found.simulated.goodput.deviation);
}

// 1,923,125,248 parameters: embedding and head of 128,256 x 4,096, and four layers. Each has 2 bytes, and 12
// of Adam's states.
TEST(PlanGoodput, WritesOneCopyOfParametersAndOptimizerStates) {
  for (const char* optimizer : {"device", "swapped"}) {
    JobJson document = failing_job();
    document["parallel"] = {{"optimizer", optimizer}};
    EXPECT_DOUBLE_EQ(checkpoint_bytes(job_from(document).clusters[0].base).value(), 14.0 * 1'923'125'248)
        << optimizer;
  }
}

TEST(PlanGoodput, WritesBesideTraining) {
  JobJson document = failing_job();
  reliability_of(document)["checkpoint"] = {{"write_gb_per_s", 0.1}, {"blocks", false}, {"stall_s", 2}};
  const PlannedJob planned(document);
  const PlanGoodput& found = planned.goodput();
  EXPECT_EQ(found.run.stall, Seconds(2));
  EXPECT_EQ(found.run.lag, found.write);
  EXPECT_GE(found.interval + found.run.stall, found.write);
  EXPECT_NE(plans_text(planned.report).find("beside training, which stands still for 2.000 s"),
            std::string::npos);
}

TEST(PlanGoodput, TakesTheStatedInterval) {
  JobJson document = failing_job();
  reliability_of(document)["checkpoint"]["interval_minutes"] = 20;
  const PlannedJob planned(document);
  const PlanGoodput& found = planned.goodput();
  EXPECT_TRUE(found.stated);
  EXPECT_NEAR(found.interval.value(), 1200, planned.best().plan.step.value());
  EXPECT_LT(found.share, goodput(found.run, found.best));
}

TEST(PlanGoodput, PaysForSpareNodes) {
  JobJson document = failing_job();
  const double without = PlannedJob(document).goodput().price->value();
  reliability_of(document)["repair_hours"] = 50;
  const PlannedJob planned(document);
  const PlanSpares& spares = *planned.goodput().spares;
  EXPECT_EQ(spares.needed, spare_nodes_for(8, 0.99));
  EXPECT_EQ(spares.nodes, *spares.needed);
  EXPECT_EQ(spares.node_devices, 8u);
  EXPECT_NEAR(planned.goodput().price->value(), without * (1 + 8.0 * spares.nodes / 16) / spares.enough,
              1e-9 * without);
  reliability_of(document)["spare_nodes"] = 1;
  reliability_of(document)["devices_per_node"] = 4;
  const PlannedJob one(document);
  EXPECT_EQ(one.goodput().spares->nodes, 1u);
  EXPECT_EQ(one.goodput().spares->needed, spares.needed);
  EXPECT_DOUBLE_EQ(one.goodput().spares->enough, share_with_enough_nodes(8, 1));
  EXPECT_DOUBLE_EQ(one.goodput().share,
                   goodput(one.goodput().run, one.goodput().interval) * share_with_enough_nodes(8, 1));
}

TEST(PlanGoodput, IsPrintedAsText) {
  const PlannedJob planned(failing_job());
  const std::string text = plans_text(planned.report);
  for (const char* said : {" with failures)\n", "plan 1 with failures: ", "% of the time trains, ", "goodput",
                           "one device fails each 100 hours (a test)", "takes 12.0 min", "by Young, ",
                           "by Daly, ", " exactly, ", "in a simulation", "no repair_hours are stated"})
    EXPECT_NE(text.find(said), std::string::npos) << said << " in\n" << text;
  EXPECT_EQ(text.find("failures are off"), std::string::npos) << text;
}

TEST(PlanGoodput, IsPrintedAsItsSchemaSays) {
  const JobJson plain = failing_job();
  JobJson repaired = plain, hopeless = plain;
  reliability_of(repaired)["repair_hours"] = 50;
  reliability_of(hopeless)["repair_hours"] = 50;
  reliability_of(hopeless)["device_mtbf_hours"] = 1e-6;
  for (const JobJson& document : {plain, repaired, hopeless}) {
    const PlannedJob planned(document);
    const auto printed = nlohmann::json::parse(plans_json(planned.report));
    EXPECT_EQ(testing::SchemaCheck("plans").complaints(printed), "");
    EXPECT_EQ(testing::SchemaCheck("plan").complaints(document), "");
    EXPECT_EQ(printed["plans"][0]["goodput"]["share"], planned.goodput().share);
  }
}

TEST(PlanGoodput, OfARunWithoutProgressHasNoDays) {
  JobJson document = failing_job();
  reliability_of(document)["device_mtbf_hours"] = 1e-6;
  const PlannedJob planned(document);
  EXPECT_EQ(planned.goodput().share, 0);
  EXPECT_EQ(planned.goodput().days, std::nullopt);
  EXPECT_EQ(planned.goodput().price, std::nullopt);
  EXPECT_NE(plans_text(planned.report).find(" 0.0 % of the time trains"), std::string::npos);
}

TEST(PlanGoodput, IsOffIfNoReliabilityIsStated) {
  JobJson document = failing_job();
  document["clusters"].push_back(document["clusters"][0]);
  document["clusters"][1]["platform"] = shipped("platforms/hgx-h200.json");
  document["clusters"][1].erase("reliability");
  const PlannedJob planned(document);
  const auto printed = nlohmann::json::parse(plans_json(planned.report));
  EXPECT_EQ(testing::SchemaCheck("plans").complaints(printed), "");
  for (const auto& plan : printed["plans"])
    EXPECT_EQ(plan["goodput"].is_null(), plan["cluster"] == "HGX H200") << plan;
  EXPECT_NE(printed["assumptions"].dump().find("failures are off on HGX H200: no reliability is stated"),
            std::string::npos);
}

TEST(Reliability, NeedsWhatFailuresCost) {
  JobJson job = failing_job();
  reliability_of(job) = {{"device_mtbf_hours", 100}};
  EXPECT_EQ(complaints_about(job),
            (Lines{"job.json: /clusters/0/reliability/source: expected a value, found nothing",
                   "job.json: /clusters/0/reliability/restart_minutes: expected a value, found nothing",
                   "job.json: /clusters/0/reliability/checkpoint: expected a value, found nothing"}));
}

TEST(Reliability, HasNoNegativeNumbers) {
  JobJson job = failing_job();
  reliability_of(job) = {
      {"device_mtbf_hours", -100},
      {"source", ""},
      {"restart_minutes", -1},
      {"checkpoint", {{"write_gb_per_s", 0}, {"blocks", false}, {"stall_s", -2}, {"interval_minutes", 0}}},
      {"repair_hours", -3},
      {"spare_nodes", -1},
      {"spare_chance", 1},
      {"devices_per_node", 0}};
  const std::string at = "job.json: /clusters/0/reliability/";
  EXPECT_EQ(complaints_about(job),
            (Lines{at + "device_mtbf_hours: expected a number above 0, found -100",
                   at + "source: expected text, found \"\"",
                   at + "restart_minutes: expected a number of at least 0, found -1",
                   at + "checkpoint/write_gb_per_s: expected a number above 0, found 0",
                   at + "checkpoint/stall_s: expected a number of at least 0, found -2",
                   at + "checkpoint/interval_minutes: expected a number above 0, found 0",
                   at + "repair_hours: expected a number above 0, found -3",
                   at + "spare_nodes: expected a whole number from 0 to 1000000, found -1",
                   at + "spare_chance: expected a number above 0 and below 1, found 1",
                   at + "devices_per_node: expected a whole number from 1 to 1000000, found 0"}));
}

TEST(Reliability, HasNoKeysWithoutUse) {
  JobJson job = failing_job();
  reliability_of(job)["checkpoint"]["stall_s"] = 1;
  reliability_of(job)["spare_nodes"] = 2;
  reliability_of(job)["mtbf"] = 3;
  const Lines found = complaints_about(job);
  ASSERT_EQ(found.size(), 3u) << found[0];
  EXPECT_TRUE(found[0].starts_with("job.json: /clusters/0/reliability/mtbf: expected a known key"))
      << found[0];
  EXPECT_EQ(found[1],
            "job.json: /clusters/0/reliability/checkpoint/stall_s: expected no such key, since a checkpoint "
            "that blocks stalls for as long as it is written, found 1");
  EXPECT_EQ(found[2],
            "job.json: /clusters/0/reliability/spare_nodes: expected repair_hours beside it, for which a "
            "failed node is missing, found 2");
}

TEST(Reliability, WritesOneCheckpointAtATime) {
  JobJson job = failing_job();
  reliability_of(job)["checkpoint"] = {{"write_gb_per_s", 0.1}, {"blocks", false}, {"interval_minutes", 1}};
  EXPECT_EQ(
      complaints_about(job),
      Lines{"job.json: /clusters/0/reliability/checkpoint/interval_minutes: expected at least the 4.487 "
            "min in which a checkpoint is written, found 1"});
}

TEST(Reliability, NeedsAPriceWhereUsdAreAskedFor) {
  JobJson job = failing_job();
  job["clusters"][0]["platform"] = shipped("platforms/cloudmatrix384.json");
  job["objective"] = "usd";
  EXPECT_EQ(complaints_about(job),
            Lines{"job.json: /clusters: expected a price of every cluster, which the objective usd needs, "
                  "found none"});
  job.erase("objective");
  const PlannedJob planned(job);
  EXPECT_EQ(planned.goodput().price, std::nullopt);
  EXPECT_GT(*planned.goodput().days, *planned.best().days);
}

}  // namespace
}  // namespace spillway
