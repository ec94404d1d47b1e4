// The answer about a gap: shares, plausibilities, sentences; each setting against a run of the changed
// document.
#include "explain/gap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "evaluate/evaluate.h"
#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "explain/explanation.h"
#include "explained_jobs.h"
#include "json/document.h"
#include "support/schema_check.h"

namespace spillway {
namespace {

// As plain_job(), in seconds instead of milliseconds. What is between steps does not matter there.
JobJson long_job() {
  JobJson job = plain_job();
  for (auto& [pass, time] : job["model"]["blocks"][0]["profile"].items()) time = 1e3 * time.get<double>();
  return job;
}

Evaluation explained_evaluation(const JobJson& job) {
  return evaluate(read_job(job, {}), {.run = {Engine::LongestPath}, .intervals = true});
}

GapAccount gap_of(const JobJson& job, const Evaluation& evaluation, Seconds measured,
                  Together most = Together::Two) {
  Findings findings("job.json");
  return explain_gap({evaluation.schedules.front(), evaluation.fitted,
                      [&](const std::vector<Setting>& changes) { return read_alone(job, 0, changes); },
                      *parse_json(job.dump(), findings)},
                     measured, most);
}

GapAccount gap_of(const JobJson& job, double times, Together most = Together::Two) {
  const Evaluation evaluation = explained_evaluation(job);
  return gap_of(job, evaluation, mean_makespan(evaluation.schedules.front()) * times, most);
}

Seconds step_with(const JobJson& job, const std::vector<Setting>& settings) {
  const Experiment changed = read_alone(job, 0, settings);
  return mean_makespan(evaluate(changed, {.run = {Engine::LongestPath}}).schedules.front());
}

TEST(Gap, EverySettingIsARunOfTheChangedDocument) {
  const JobJson job = priced_job();
  const GapAccount account = gap_of(job, 1.3);
  ASSERT_GE(account.settings.size(), 8u);
  for (const auto* all : {&account.settings, &account.pairs})
    for (const TriedSetting& one : *all) {
      EXPECT_EQ(one.makespan, step_with(job, one.settings)) << one.words;
      EXPECT_NEAR(one.closes,
                  1 - std::abs((account.measured - one.makespan) / (account.measured - account.predicted)),
                  1e-12);
    }
}

TEST(Gap, IsRankedByShareTimesPlausibility) {
  const GapAccount account = gap_of(priced_job(), 1.3);
  for (std::size_t i = 1; i < account.settings.size(); ++i)
    EXPECT_GE(account.settings[i - 1].score(), account.settings[i].score());
}

// Slower hosts change nothing here, and nothing else is on this list twice.
TEST(Gap, LeavesOutWhatChangesNothing) {
  const GapAccount account = gap_of(priced_job(), 1.3);
  for (const TriedSetting& one : account.settings) EXPECT_NE(one.makespan, account.predicted) << one.words;
}

TEST(Gap, NumbersAreSolvedForTheMeasuredStep) {
  const GapAccount account = gap_of(long_job(), 1.1);
  const auto tied = std::span(account.settings).first(account.tied());
  const auto found = std::ranges::find_if(
      tied, [](const TriedSetting& one) { return one.settings.front().pointer == "/what_if/compute_speed"; });
  ASSERT_NE(found, tied.end());
  const TriedSetting& compute = *found;
  EXPECT_NEAR(compute.solved.front().value, 1 / 1.1, 1e-3);
  EXPECT_NEAR(compute.closes, 1, 1e-2);
  EXPECT_EQ(compute.plausibility, kBetweenPlausibility) << "nobody has published 0.909";
}

TEST(Gap, APublishedValueIsMorePlausible) {
  const GapAccount account = gap_of(long_job(), 1 / 0.8);
  EXPECT_EQ(account.settings.front().plausibility, kOpenPlausibility);
  EXPECT_TRUE(account.one_suffices());
  EXPECT_NE(gap_verdict(account).find("closes the gap: devices compute at 0.8 times"), std::string::npos)
      << gap_verdict(account);
}

TEST(Gap, BeyondEveryRangeIsSaidToBeUnexplained) {
  const GapAccount account = gap_of(long_job(), 10);
  EXPECT_FALSE(account.one_suffices());
  EXPECT_NE(gap_verdict(account).find("no single one of"), std::string::npos) << gap_verdict(account);
  EXPECT_LT(account.settings.front().closes, 0.2);
  for (const TriedSetting& pair : account.pairs) EXPECT_LT(pair.closes, 0.5) << pair.words;
}

TEST(Gap, TwoTogetherCloseWhatNeitherDoes) {
  const GapAccount account = gap_of(long_job(), 2.2);
  ASSERT_FALSE(account.pairs.empty());
  const TriedSetting& best = *std::ranges::max_element(account.pairs, {}, &TriedSetting::closes);
  for (const TriedSetting& one : account.settings) EXPECT_GT(best.closes, one.closes) << one.words;
  EXPECT_EQ(best.settings.size(), 2u);
  EXPECT_NE(gap_verdict(account).find("two together close"), std::string::npos) << gap_verdict(account);
  EXPECT_TRUE(gap_of(long_job(), 2.2, Together::One).pairs.empty());
}

TEST(Gap, OfOnePercentNeedsNoSetting) {
  const GapAccount account = gap_of(priced_job(), 1.005);
  EXPECT_TRUE(account.settings.empty());
  EXPECT_NE(gap_verdict(account).find("1 % at most"), std::string::npos);
}

TEST(Gap, InsideOfTheIntervalNeedsNoExplaining) {
  const GapAccount inside = gap_of(priced_job(), 1.03), outside = gap_of(priced_job(), 3);
  EXPECT_EQ(inside.inside_interval(), true);
  EXPECT_EQ(outside.inside_interval(), false);
  const std::string words = gap_verdict(inside);
  EXPECT_NE(words.find("nothing needs explaining"), std::string::npos) << words;
  EXPECT_LT(words.find("nothing needs explaining"), words.find("sett")) << "it is said first";
  EXPECT_EQ(gap_of(long_job(), 3).inside_interval(), std::nullopt) << "durations are given";
}

TEST(Gap, AStepThatIsShorterAsksForFasterMachines) {
  const GapAccount account = gap_of(long_job(), 0.9);
  EXPECT_EQ(account.settings.front().settings.front().pointer, "/what_if/compute_speed");
  EXPECT_NEAR(account.settings.front().solved.front().value, 1 / 0.9, 1e-3);
  for (const TriedSetting& one : account.settings)
    EXPECT_NE(one.settings.front().pointer, "/what_if/straggler") << "it cannot make a step shorter";
}

TEST(Gap, WhatTheExperimentStatesIsImplausible) {
  JobJson job = long_job();
  job["what_if"] = {{"compute_speed", 1}};
  const GapAccount account = gap_of(job, 1 / 0.8);
  for (const TriedSetting& one : account.settings)
    if (one.settings.front().pointer == "/what_if/compute_speed") {
      EXPECT_EQ(one.plausibility, kStatedPlausibility);
      EXPECT_NE(one.because.find("/what_if/compute_speed"), std::string::npos);
    }
}

TEST(Gap, WhatDoesNotFitIsImplausible) {
  JobJson job = priced_job();
  job["model"]["blocks"][0]["recompute"] = "full";
  const auto peak = [](const JobJson& of) {
    return worst_peak(explained_evaluation(of).schedules[0])->peak.parts.total().value();
  };
  JobJson without = job;
  without["model"]["blocks"][0]["recompute"] = "none";
  job["memory"] = {{"limit_gb", (peak(without) + peak(job)) / 2e9}};
  const GapAccount account = gap_of(job, 0.8);
  const auto none = std::ranges::find_if(
      account.settings, [](const TriedSetting& one) { return one.settings.front().value == "none"; });
  ASSERT_NE(none, account.settings.end());
  EXPECT_EQ(none->fits, false);
  EXPECT_EQ(none->plausibility, kStatedPlausibility);
  EXPECT_EQ(none->because, "does not fit into memory");
}

TEST(Gap, IsPartOfTheExplanation) {
  const JobJson job = priced_job();
  const Evaluation evaluation = explained_evaluation(job);
  const Seconds measured = mean_makespan(evaluation.schedules.front()) * 1.3;
  const Explanation explanation{evaluation,
                                {{&evaluation.schedules[0], {}, gap_of(job, evaluation, measured)}}};
  const auto document = nlohmann::json::parse(explanation_json(explanation));
  EXPECT_EQ(testing::SchemaCheck("explanation").complaints(document), "");
  EXPECT_EQ(document["schedules"][0]["gap"]["measured_s"], measured.value());
  const std::string text = explanation_text(explanation);
  EXPECT_NE(text.find("what would close the gap"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace spillway
