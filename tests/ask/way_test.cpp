// The way from a layout to another, and the accounts of both, against the layouts evaluated one by one.
#define SPILLWAY_PROPERTY_CASES "60"
#include "ask/way.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "asked_jobs.h"
#include "support/long_property.h"
#include "support/schema_check.h"

namespace spillway {
namespace {

// Small jobs with one or two clusters, with frameworks or none, with text or images.
JobJson random_job() {
  const int kind = *rc::gen::inRange(0, 3);
  JobJson job = kind == 0 ? text_job() : kind == 1 ? framework_job() : image_job();
  job["batch"]["sequences"] = *rc::gen::element(8, 16);
  job["draws"] = 1;
  if (kind != 1) job["clusters"][0]["devices"] = *rc::gen::element(JobJson{8}, JobJson{4, 8});
  return job;
}

const PlanLayout& random_layout(const std::vector<PlanLayout>& layouts) {
  return layouts[*rc::gen::inRange<std::size_t>(0, layouts.size())];
}

double total_saved(const std::vector<WayStep>& steps) {
  return std::accumulate(steps.begin(), steps.end(), 0.0,
                         [](double sum, const WayStep& step) { return sum + step.saved; });
}

SPILLWAY_LONG_PROP(Way, EndsAtTheTargetWithItsFigures, 100) {
  const PlanJob job = job_from(random_job());
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  const PlanLayout from = random_layout(layouts), to = random_layout(layouts);
  LayoutTrials trials(job), others(job);
  const LayoutTrial own = others(from), target = others(to);
  RC_PRE(own.is_known() && target.is_known());
  const std::vector<WayStep> steps = way_towards(trials, job, from, to, from.schedule);
  const LayoutTrial& last = steps.empty() ? own : steps.back().trial;
  RC_ASSERT(last.step == target.step);
  RC_ASSERT(last.value == target.value);
  RC_ASSERT(last.memory == target.memory);
  RC_ASSERT(std::abs(total_saved(steps) - (own.value - target.value)) < 1e-12 * own.value);
  const std::size_t most = changes_towards(job, from, to, from.schedule).size() + 1;
  RC_ASSERT(trials.tried() <= 1 + most * (most + 1) / 2);
}

// Of the changes that are left, each made alone on top of the steps before, none has a better result.
SPILLWAY_LONG_PROP(Way, TakesTheChangeThatGainsMost, 100) {
  const PlanJob job = job_from(random_job());
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  const PlanLayout from = random_layout(layouts), to = random_layout(layouts);
  LayoutTrials trials(job);
  RC_PRE(trials(from).is_known() && trials(to).is_known());
  PlanLayout at = from;
  for (const WayStep& step : way_towards(trials, job, from, to, from.schedule)) {
    std::optional<double> best;
    for (const LayoutChange& change : changes_towards(job, at, to, at.schedule))
      if (const LayoutTrial trial = trials(change); trial.is_known())
        best = std::min(trial.value, best.value_or(trial.value));
    if (best) RC_ASSERT(step.changes.size() == 1u && step.trial.value == *best);
    if (!best) RC_ASSERT(step.changes.size() > 1u);
    RC_ASSERT(step.trial.value == trials(step.trial.layout).value);
    at = step.trial.layout;
  }
}

// One step of two sequences: fewer ranks alone have too many replicas, more tensor devices too many devices.
TEST(Way, MakesChangesTogetherThatBreakARuleAlone) {
  JobJson document = text_job();
  document["batch"]["sequences"] = 2;
  document["clusters"][0]["devices"] = {4};
  const PlanJob job = job_from(document);
  LayoutTrials trials(job);
  const PlanLayout from = asked_layout(job, "P=4 TP=1 mb=2").layout,
                   to = asked_layout(job, "TP=4 mb=2").layout;
  for (const LayoutChange& change : changes_towards(job, from, to, from.schedule))
    EXPECT_FALSE(trials(change).is_known()) << to_string(change);
  const std::vector<WayStep> steps = way_towards(trials, job, from, to, from.schedule);
  ASSERT_EQ(steps.size(), 1u);
  ASSERT_EQ(steps[0].changes.size(), 2u);
  EXPECT_EQ(to_string(steps[0].changes[0]), "P 1 instead of 4");
  EXPECT_EQ(to_string(steps[0].changes[1]), "TP 4 instead of 1");
  EXPECT_EQ(steps[0].trial.layout, to);
}

// Users would run plan 1; from plan 1 itself it leads to the best.
TEST(Way, LeadsToPlan1) {
  const PlanJob job = job_from(job_with_a_faster_framework());
  const SearchResult result = searched(job, legal_layouts(job), kAskedTop);
  const auto explained = [&](const PlanLayout& layout) {
    return explain_layout(asked_layout(job, text_of(job, layout)), result, kAskedTop);
  };
  const ExplainedLayout of_best = explained(result.plans.front().layout);
  ASSERT_GT(of_best.recommended->place, 1u);
  const PlanLayout& first = of_best.recommended->plan.layout;
  for (const std::size_t place : {std::size_t{0}, result.plans.size() / 2, result.plans.size() - 1}) {
    const ExplainedLayout one = explained(result.plans[place].layout);
    if (one.own.layout == first) continue;
    EXPECT_FALSE(one.way->to_best);
    EXPECT_EQ(one.way->steps.back().trial.value, one.recommended->plan.value);
  }
  const ExplainedLayout of_first = explained(first);
  EXPECT_TRUE(of_first.way->to_best);
  EXPECT_EQ(of_first.way->steps.back().trial.value, result.plans.front().value);
}

TEST(Way, IsSaidAsCausesThatAddUp) {
  const Explained one = explained_in(job_from(eight_devices()), "P=2 TP=2 recompute=full zero1");
  const nlohmann::json document = one.json();
  EXPECT_EQ(testing::SchemaCheck("layout-explanation").complaints(document), "");
  const nlohmann::json& way = document["way"];
  ASSERT_GT(way["steps"].size(), 1u);
  double gains = 0;
  for (const nlohmann::json& step : way["steps"]) gains += step["gain"].get<double>();
  EXPECT_NEAR(gains, way["above_target"].get<double>(), 1e-12);
  const std::string text = one.text();
  EXPECT_NE(text.find("  causes: "), std::string::npos) << text;
  EXPECT_NE(text.find("from yours to plan 1, one on top of another"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  recomputation"), std::string::npos) << text;
}

// Plan 1 has no way if it is the best.
TEST(Way, OfTheBestIsNone) {
  const PlanJob job = job_from(eight_devices());
  const SearchResult result = searched(job, legal_layouts(job), kAskedTop);
  for (const EvaluatedPlan& plan : result.plans) {
    const ExplainedLayout one =
        explain_layout(asked_layout(job, text_of(job, plan.layout)), result, kAskedTop);
    EXPECT_EQ(one.way.has_value(), one.place != 1 || one.recommended->place != 1);
    if (one.place > 3) break;
  }
}

// The parts of the path are the step, and a rank computes for the rest of it.
TEST(TimeAccount, AddsUpToTheStep) {
  JobJson images = image_job();
  images["clusters"][0]["devices"] = {8};
  for (const JobJson& document : {eight_devices(), framework_job(), images}) {
    const PlanJob job = job_from(document);
    const std::vector<PlanLayout> layouts = legal_layouts(job);
    LayoutTrials trials(job);
    std::size_t recomputed = 0, ended = 0;
    for (std::size_t i = 0; i < layouts.size(); i += 1 + layouts.size() / 30) {
      const LayoutTrial trial = trials(layouts[i]);
      if (!trial.is_known()) continue;
      const auto account = time_account(trials.experiment_of(layouts[i]), trials.orders());
      ASSERT_TRUE(account);
      Seconds sum;
      for (const TimePart& part : kTimeParts)
        if (part.on_path) sum += (*account).*part.time;
      EXPECT_NEAR(sum.value(), account->step.value(), 1e-12 * account->step.value());
      EXPECT_NEAR(account->step.value(), trial.step.value(), 1e-9 * trial.step.value());
      EXPECT_LE(account->idle, account->step);
      // Encodes may be computed again whatever the layout says.
      const bool again = layouts[i].recompute != Recompute::None;
      if (again || document["model"]["blocks"].size() == 1) {
        EXPECT_EQ(account->recomputed > Seconds(), again);
      }
      recomputed += account->recomputed > Seconds();
      ended += account->end > Seconds();
    }
    EXPECT_GT(recomputed, 3u);
    EXPECT_EQ(ended > 0, document["clusters"][0]["frameworks"] != "none");
  }
}

}  // namespace
}  // namespace spillway
