// The decision in words: what leads, and what is said of the others.
#include "search/answer/plan_decision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "search/plan_choice.h"
#include "small_jobs.h"

namespace spillway {
namespace {

struct Decided {
  explicit Decided(const JobJson& document, std::size_t top = 6)
      : job(job_from(document)), layouts(legal_layouts(job)), evaluator(job, layouts) {
    report.emplace(report_of(job, searched(job, layouts, top), evaluator.layers(), top));
  }

  std::string line(const std::string& about) const {
    for (const DecisionLine& one : decision_lines(*report))
      if (one.about == about) return one.text;
    return "";
  }
  std::string lines() const {
    std::string all = verdict(*report);
    for (const DecisionLine& one : decision_lines(*report)) all += "\n" + one.about + ": " + one.text;
    return all;
  }

  const PlanJob job;
  const std::vector<PlanLayout> layouts;
  LayoutEvaluator evaluator;
  std::optional<PlanReport> report;
};

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(PlanDecision, SaysWhatWhereHowLongHowMuchAndHowSure) {
  const Decided decided(text_job());
  const ShownPlan& first = decided.report->plans.front();
  const std::string said = decided.lines();
  EXPECT_TRUE(says(
      said, "Train on " + std::to_string(first.plan.layout.devices) + " devices of HGX H100, launched by "))
      << said;
  EXPECT_TRUE(says(decided.line("how long"), "] a step, ")) << said;
  EXPECT_TRUE(says(decided.line("how much"), " USD, ")) << said;
  EXPECT_TRUE(says(decided.line("how sure"), "that differ by less than 6.0 %")) << said;
  EXPECT_TRUE(says(decided.line("next best"), "plan ")) << said;
  EXPECT_EQ(plans_text(*decided.report).find("Train on "), 0u);
}

TEST(PlanDecision, OfAPlanThatCannotBeLaunchedSaysSoAndWhy) {
  JobJson job = text_job();
  job["search"]["ranks"] = {2};
  job["search"]["schedules"] = {"zb-h2"};
  const Decided decided(job);
  const std::string said = decided.lines();
  EXPECT_TRUE(says(verdict(*decided.report), "; no framework here can launch it.")) << said;
  EXPECT_TRUE(says(decided.line("not launched"), "it has no schedule zb-h2")) << said;
}

// The first plan can be launched although a better one of its tie cannot, and what that would gain is said.
TEST(PlanDecision, LeadsWithAPlanThatCanBeLaunchedAndNamesTheBetterOne) {
  JobJson job = text_job();
  job["search"]["ranks"] = {2};
  job["search"]["tensor"] = {1};
  job["search"]["context"] = {1};
  job["search"]["recompute"] = {"none"};
  job["search"]["schedules"] = {"1f1b", "zb-h2"};
  job["batch"]["sequences"] = 256;  // many microbatches: hardly any bubble, so the two tie
  job["clusters"][0]["devices"] = {16};
  const Decided decided(job);
  const RivalPlan* better = better_than_first(*decided.report);
  const std::string said = decided.lines();
  ASSERT_NE(better, nullptr) << said;
  EXPECT_EQ(job_from(job).search.schedules[better->layout.schedule].name, "zb-h2");
  EXPECT_TRUE(says(verdict(*decided.report), "1f1b")) << said;
  EXPECT_TRUE(decided.report->plans.front().launch.launch) << said;
  EXPECT_LT(difference_of(*decided.report, *better).share, 0);
  EXPECT_TRUE(says(decided.line("not chosen"), "zb-h2 instead of 1f1b")) << said;
  EXPECT_TRUE(says(decided.line("not chosen"), "cheaper [")) << said;
  EXPECT_TRUE(
      says(decided.line("not chosen"), "it cannot be launched: Megatron-LM: it has no schedule zb-h2"))
      << said;
}

TEST(PlanDecision, SaysWhereAReplayReversesTheOrder) {
  Decided decided(text_job());
  std::vector<ShownPlan>& plans = decided.report->plans;
  ASSERT_GE(plans.size(), 3u);
  for (ShownPlan& plan : plans) plan.replayed = plan.plan.step;
  EXPECT_EQ(reversed_by_replay(*decided.report), std::vector<std::size_t>{});
  EXPECT_EQ(decided.line("replayed"), "");
  const bool better = plans[1].plan.value < plans[0].plan.value;
  plans[1].replayed =
      plans[1].plan.step * (plans[0].plan.value / plans[1].plan.value * (better ? 1.01 : 0.99));
  EXPECT_EQ(reversed_by_replay(*decided.report), std::vector<std::size_t>{1});
  EXPECT_TRUE(says(decided.line("replayed"), "SimGrid")) << decided.lines();
}

// Even where one plan alone is shown.
TEST(PlanDecision, NamesTheNearestPlanOfAnotherChoice) {
  for (const std::size_t top : {std::size_t{1}, std::size_t{6}}) {
    const Decided decided(text_job(), top);
    const PlanReport& report = *decided.report;
    const PlanChoices choices(decided.job);
    ASSERT_TRUE(report.next);
    EXPECT_NE(choices.of(report.next->layout), choices.of(report.plans[0].plan.layout));
    const PlanDifference one = difference_of(report, *report.next);
    EXPECT_DOUBLE_EQ(one.share, report.next->value / report.plans[0].plan.value - 1);
    ASSERT_TRUE(one.interval);
    EXPECT_LE(one.interval->low, one.interval->high);
    EXPECT_EQ(decided.line("next best").starts_with("plan "), shown_place(report, *report.next).has_value());
    EXPECT_EQ(report.next->layout, Decided(text_job(), 6).report->next->layout);
  }
}

// On one machine, what two layouts share does not widen the interval of their difference.
TEST(PlanDecision, ComparesOnTheSameMachines) {
  const Decided decided(text_job());
  const PlanDifference none = difference_of(*decided.report, decided.report->plans.front());
  EXPECT_EQ(none.share, 0);
  EXPECT_TRUE(none.tied);
  EXPECT_NEAR(none.interval->low, 0, 1e-12);
  EXPECT_NEAR(none.interval->high, 0, 1e-12);
}

// Another cluster's machines have nothing to do with those of plan 1.
TEST(PlanDecision, ComparesClustersOnMachinesDrawnApart) {
  JobJson job = text_job();
  job["clusters"][0]["devices"] = {8};
  job["clusters"].push_back(job["clusters"][0]);
  const Decided decided(job);
  const PlanReport& report = *decided.report;
  const auto other = std::ranges::find_if(report.plans, [&](const ShownPlan& plan) {
    PlanLayout here = plan.plan.layout;
    here.cluster = report.plans[0].plan.layout.cluster;
    return &plan != &report.plans[0] && here == report.plans[0].plan.layout;
  });
  ASSERT_NE(other, report.plans.end());
  const PlanDifference one = difference_of(report, *other);
  EXPECT_EQ(one.share, 0);
  EXPECT_LT(one.interval->low, -0.01);
  EXPECT_GT(one.interval->high, 0.01);
}

}  // namespace
}  // namespace spillway
