// What --explain says of plan 1 and of the other plans, against the plans of the job.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "asked_jobs.h"
#include "launch/write/frameworks.h"
#include "search/answer/plan_figures.h"
#include "support/schema_check.h"

namespace spillway {
namespace {

// The answer of `plan`, and the search that it is of.
struct PlannedJob {
  explicit PlannedJob(const JobJson& document)
      : job(job_from(document)),
        layouts(legal_layouts(job)),
        evaluator(job, layouts),
        result(searched(job, layouts, kAskedTop)),
        report(report_of(job, result, evaluator.layers(), kAskedTop)) {}

  ExplainedLayout explained(const PlanLayout& layout) const { return whole(layout).explained; }
  Explained whole(const PlanLayout& layout) const {
    AskedLayout asked = asked_layout(job, text_of(job, layout));
    ExplainedLayout explained = explain_layout(asked, result, kAskedTop);
    return {std::move(asked), result, std::move(explained)};
  }

  PlanJob job;
  std::vector<PlanLayout> layouts;
  LayoutEvaluator evaluator;
  SearchResult result;
  PlanReport report;
};

// Every plan of `plan` is found again under its number, and those that it stands for, too.
TEST(RecommendedLayout, IsThePlanThatPlanPrintsFirst) {
  for (const JobJson& document : {framework_job(), eight_devices(), job_with_a_faster_framework()}) {
    const PlannedJob planned(document);
    for (std::size_t i = 0; i < planned.report.plans.size(); ++i) {
      const ShownPlan& plan = planned.report.plans[i];
      const ExplainedLayout own = planned.explained(plan.plan.layout);
      EXPECT_EQ(own.fate == LayoutFate::Recommended, i == 0);
      EXPECT_EQ(own.row, i + 1);
      EXPECT_FALSE(own.is_folded);
      EXPECT_EQ(own.launch->launch.has_value(), plan.launch.launch.has_value());
      EXPECT_EQ(own.launch->reason, plan.launch.reason);
      EXPECT_EQ(own.recommended->plan.layout, planned.report.plans.front().plan.layout);
      if (plan.like.empty()) continue;
      const ExplainedLayout like = planned.explained(plan.like.front());
      EXPECT_EQ(like.row, i + 1);
      EXPECT_TRUE(like.is_folded);
      EXPECT_NE(like.fate, LayoutFate::Recommended);
    }
  }
}

// Faster plans that nobody can launch do not lead, and are told why.
TEST(RecommendedLayout, NeedNotBeTheBest) {
  const PlannedJob planned(job_with_a_faster_framework());
  const EvaluatedPlan& best = planned.result.plans.front();
  const ShownPlan& first = planned.report.plans.front();
  ASSERT_LT(best.value, first.plan.value);
  ASSERT_TRUE(first.launch.launch);
  const Explained asked = planned.whole(best.layout);
  EXPECT_EQ(asked.explained.fate, LayoutFate::Best);
  EXPECT_EQ(asked.explained.recommended->best_launch_reason, asked.explained.launch->reason);
  const std::string text = on_one_line(asked.text());
  EXPECT_NE(text.find("why: it is the best"), std::string::npos) << text;
  EXPECT_NE(text.find("plan 1 leads: this layout cannot be launched: no launch is written for of the house"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(" launch: none: no launch is written"), std::string::npos) << text;
  EXPECT_NE(text.find(" plan 1: P="), std::string::npos) << text;
  const std::string own = on_one_line(planned.whole(first.plan.layout).text());
  EXPECT_NE(own.find("why: it is plan 1, which is recommended; the best is "), std::string::npos) << own;
  EXPECT_NE(own.find("the best cannot be launched: no launch is written"), std::string::npos) << own;
  EXPECT_NE(own.find(" launch: Megatron-LM core "), std::string::npos) << own;
}

// Only layouts of the tie are told that plan 1 leads; why follows if it is launched, simpler or better.
TEST(RecommendedLayout, SaysWhatLeadsATie) {
  const PlannedJob planned(framework_job());
  std::size_t reasons = 0;
  const std::vector<EvaluatedPlan>& plans = planned.result.plans;
  for (std::size_t i = 0; i < plans.size(); i += i < 8 ? 1 : 7) {
    const EvaluatedPlan& plan = plans[i];
    const Explained asked = planned.whole(plan.layout);
    const std::string text = on_one_line(asked.text());
    const bool tied = asked.explained.fate == LayoutFate::Tied || asked.explained.fate == LayoutFate::Best;
    EXPECT_EQ(text.find("plan 1 leads") != std::string::npos, tied) << text;
    reasons += text.find("plan 1 leads: ") != std::string::npos;
    const auto document = asked.json();
    EXPECT_EQ(testing::SchemaCheck("layout-explanation").complaints(document), "");
    EXPECT_EQ(document["layout"]["framework"], planned.job.clusters[plan.layout.cluster].framework);
    EXPECT_EQ(document["best"]["layout"]["framework"],
              planned.job.clusters[planned.result.plans.front().layout.cluster].framework);
    EXPECT_EQ(document["launch"].is_null(), !document["launch_reason"].is_null());
  }
  EXPECT_GT(reasons, 1u);
}

// Asked for launchable layouts, the search leaves out the others for that reason, not by a bound.
TEST(RecommendedLayout, OfLaunchableOnesLeavesTheOthersOut) {
  JobJson document = framework_job();
  document["clusters"].erase(1);
  PlanJob job = job_from(document);
  job.launchable = true;
  const SearchResult result = searched(job, legal_layouts(job), kAskedTop);
  std::size_t left_out = 0;
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  for (std::size_t i = 0; i < layouts.size(); i += 1 + layouts.size() / 40) {
    const AskedLayout asked = asked_layout(job, text_of(job, layouts[i]));
    const ExplainedLayout explained = explain_layout(asked, result, kAskedTop);
    if (explained.fate == LayoutFate::DoesNotFit) continue;
    EXPECT_EQ(explained.fate == LayoutFate::NotLaunchable, !explained.launch->launch) << asked.words;
    left_out += explained.fate == LayoutFate::NotLaunchable;
  }
  EXPECT_GT(left_out, 3u);
}

// If nothing fits, the framework is said, and what it does not run is no way out.
TEST(RecommendedLayout, OfNothingThatFitsNamesTheFramework) {
  JobJson document = eight_devices();
  document["clusters"][0]["frameworks"] = {"hf-fsdp2"};
  document["clusters"][0]["memory_limit_gb"] = 0.5;
  const PlanJob job = job_from(document);
  const SearchResult result = searched(job, legal_layouts(job), kAskedTop);
  ASSERT_TRUE(result.misfit);
  LayoutTrials trials(job);
  const MisfitAccount account = explain_misfit(trials, job, *result.misfit, result.misfit->schedule);
  const std::string text = on_one_line(misfit_text(job, *result.misfit, account));
  EXPECT_NE(text.find("8 devices of HGX H100 under hf-fsdp2"), std::string::npos) << text;
  EXPECT_NE(text.find("TP: expected 1, since hf-fsdp2 has the whole model on each device"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace spillway
