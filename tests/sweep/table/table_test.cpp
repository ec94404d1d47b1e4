#include "sweep/table/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "input/experiment/experiment.h"
#include "outcomes.h"
#include "report/step/json.h"
#include "support/property.h"
#include "words/spread.h"

namespace spillway::testing {
namespace {

using nlohmann::json;
using enum SweepFigure;

std::vector<SweepRow> rows_of(const PointOutcome& outcome, bool reports_replays = false) {
  return sweep_rows(heading_of({"/a"}, reports_replays), {"1"}, outcome);
}

// Slow takes 4, 8, 12 and 16 s, fast 2, 4, 4 and 4 s.
PointOutcome two_schedules() {
  return point_of({schedule_of("slow", {4, 8, 12, 16}), schedule_of("fast", {2, 4, 4, 4})});
}

TEST(SweepTable, AColumnForEveryFigureInTheOrderOfTheContract) {
  std::vector<std::string> names;
  for (const SweepColumn& column : sweep_columns(heading_of({"/pipeline/ranks", "/network/p2p_ms"})))
    names.push_back(column.name);
  const std::vector<std::string> first = {"/pipeline/ranks", "/network/p2p_ms",      "schedule",
                                          "makespan_s_mean", "makespan_s_p50",       "makespan_s_ci95",
                                          "speedup_mean",    "bubble_fraction_mean", "max_spill_s_mean"};
  EXPECT_EQ(std::vector<std::string>(names.begin(), names.begin() + 9), first);
  EXPECT_EQ(names.back(), "refusal");
  EXPECT_EQ(names[names.size() - 4], "fits");
  EXPECT_EQ(names[names.size() - 3], "evidence_weakest");
  EXPECT_EQ(names[names.size() - 2], "unranked_reason");
  EXPECT_EQ(names.size(), 2 + 1 + kSweepFigures + 4);
}

TEST(SweepTable, EveryFigureIsFoundByItsColumnsName) {
  for (SweepFigure figure : all_sweep_figures()) EXPECT_EQ(sweep_figure(figure_column(figure).name), figure);
  EXPECT_EQ(sweep_figure("schedule"), std::nullopt);
}

TEST(SweepTable, MakespansAreSpreadOverTheDraws) {
  const SweepRow slow = rows_of(two_schedules())[0];
  EXPECT_EQ(slow.schedule, "slow");
  EXPECT_TRUE(slow.is_baseline);
  EXPECT_EQ(slow[MakespanMean], 10);
  EXPECT_EQ(slow[MakespanP5], 4);
  EXPECT_EQ(slow[MakespanP50], 8);
  EXPECT_EQ(slow[MakespanP95], 16);
  EXPECT_EQ(slow[MakespanP99], 16);
  EXPECT_EQ(slow[MakespanInterval], spread({4, 8, 12, 16}).ci95);
  EXPECT_EQ(slow[BubbleFraction], 0.25);
  EXPECT_EQ(slow[MaxSpill], 1);
  EXPECT_EQ(slow[ExposedEncoder], 2);
}

// Draw by draw, fast is 2, 2, 3 and 4 times as fast and takes 2, 4, 8 and 12 s less.
TEST(SweepTable, ComparisonsArePairedByDraw) {
  const SweepRow fast = rows_of(two_schedules())[1];
  EXPECT_EQ(fast[SpeedupMean], 2.75);
  EXPECT_EQ(fast[SpeedupInterval], spread({2, 2, 3, 4}).ci95);
  EXPECT_EQ(fast[DifferenceMean], -6.5);
  EXPECT_EQ(fast[DifferenceInterval], spread({-2, -4, -8, -12}).ci95);
}

TEST(SweepTable, TheBaselineIsOneWithoutAnyDoubt) {
  const SweepRow slow = rows_of(two_schedules())[0];
  EXPECT_EQ(slow[SpeedupMean], 1);
  EXPECT_EQ(slow[SpeedupInterval], 0);
  EXPECT_EQ(slow[DifferenceMean], 0);
  EXPECT_EQ(slow[DifferenceInterval], 0);
  const SweepRow nothing = rows_of(point_of({schedule_of("empty", {0})}))[0];
  EXPECT_EQ(nothing[SpeedupMean], 1);
}

RC_GTEST_PROP(SweepTable, EqualDrawsAreTheNumberItself, ()) {
  const double seconds = 0.1 * *rc::gen::inRange(1, 1000);
  const auto draws = *rc::gen::inRange<std::size_t>(1, 65);
  const SweepRow row = rows_of(point_of({schedule_of("one", std::vector<double>(draws, seconds))}))[0];
  for (SweepFigure figure : {MakespanMean, MakespanP5, MakespanP50, MakespanP99})
    RC_ASSERT(row[figure] == seconds);
  RC_ASSERT(row[MakespanInterval] == 0.0);
}

TEST(SweepTable, ContentionIsWhatSharingAdds) {
  PointOutcome outcome = two_schedules();
  outcome.schedules[1] = replayed(outcome.schedules[1], {3, 4, 4, 5});
  const auto rows = rows_of(outcome);
  EXPECT_EQ(rows[0][SimGrid], std::nullopt);
  EXPECT_EQ(rows[0][Contention], std::nullopt);
  EXPECT_EQ(rows[1][SimGrid], 4);
  EXPECT_EQ(rows[1][Contention], (0.5 + 0 + 0 + 0.25) / 4);
  EXPECT_EQ(rows[1][MakespanMean], 3.5);
}

TEST(SweepTable, MakespansAreSimGridsWhereTheSweepReportsThem) {
  PointOutcome outcome = two_schedules();
  outcome.schedules[0] = replayed(outcome.schedules[0], {6, 8, 12, 16});
  outcome.schedules[1] = replayed(outcome.schedules[1], {3, 4, 4, 4});
  const auto rows = rows_of(outcome, true);
  EXPECT_EQ(rows[0][MakespanMean], 10.5);
  EXPECT_EQ(rows[1][SpeedupMean], 2.75);
  EXPECT_EQ(rows[1][DifferenceMean], -6.75);
  EXPECT_THROW(rows_of(two_schedules(), true), ContractBreach);
}

TEST(SweepTable, WhatIsNotKnownIsLeftOut) {
  PointOutcome outcome = two_schedules();
  for (SweepFigure figure : {SimGrid, Contention, Mfu, TokensPerSecond, UsefulTokensPerSecond, Fill,
                             UsdPerStep, UsdPerUsefulTokens, Devices})
    EXPECT_EQ(rows_of(outcome)[0][figure], std::nullopt);
  for (const double tokens : {2400., 2400., 2400., 1200.})
    outcome.accounts.push_back({Flops(48e12), tokens, 0.75 * tokens, 4, FlopsPerSecond(2e12), std::nullopt});
  const SweepRow unpriced = rows_of(outcome)[0];
  EXPECT_EQ(unpriced[Devices], 4);
  EXPECT_EQ(unpriced[UsdPerStep], std::nullopt);
  EXPECT_EQ(unpriced[TokensPerSecond], (600. + 300 + 200 + 75) / 4);
  EXPECT_EQ(unpriced[UsefulTokensPerSecond], 0.75 * (600. + 300 + 200 + 75) / 4);
  EXPECT_EQ(unpriced[Fill], 0.75);
  EXPECT_EQ(unpriced[UsdPerUsefulTokens], std::nullopt);
}

TEST(SweepTable, MemoryIsJudgedByTheLimit) {
  const auto rows = rows_of(holding(two_schedules(), Bytes(80e9), {80e9, 443e9}));
  EXPECT_EQ(rows[0][PeakMemory], 80e9);
  EXPECT_EQ(rows[0].fits, true);
  EXPECT_EQ(rows[1].fits, false);
  EXPECT_EQ(rows[1][MakespanMean], 3.5);
  EXPECT_EQ(rows_of(two_schedules())[0].fits, std::nullopt);
  EXPECT_EQ(rows_of(two_schedules())[0][PeakMemory], std::nullopt);
}

TEST(SweepTable, ARefusedPointIsOneRowThatSaysWhy) {
  const auto rows = rows_of(refused("more memory than there is"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].refusal, "more memory than there is");
  EXPECT_EQ(rows[0].schedule, "");
  EXPECT_TRUE(
      std::none_of(rows[0].figures.begin(), rows[0].figures.end(), [](auto f) { return f.has_value(); }));
}

TEST(SweepTable, WhatIsNoNumberIsLeftOut) {
  const auto rows = rows_of(point_of({schedule_of("slow", {1}), schedule_of("empty", {0})}));
  EXPECT_EQ(rows[1][SpeedupMean], std::nullopt);
  EXPECT_EQ(rows[1][DifferenceMean], -1);
}

double mean_in(const json& figure) {
  return figure.is_number() ? figure.get<double>() : figure["mean"].get<double>();
}

// The member of a schedule's report that each column repeats.
using Reported = std::vector<std::pair<SweepFigure, std::string>>;
const Reported kTimes = {{MakespanMean, "makespan_s"},
                         {SpeedupMean, "speedup"},
                         {BubbleFraction, "bubble_fraction"},
                         {MaxSpill, "max_spill_s"},
                         {ExposedEncoder, "exposed_encoder_s"}};
const Reported kThroughput = {
    {Mfu, "mfu"},   {TokensPerSecond, "tokens_per_s"}, {UsefulTokensPerSecond, "useful_tokens_per_s"},
    {Fill, "fill"}, {UsdPerStep, "usd_per_step"},      {UsdPerUsefulTokens, "usd_per_1e12_useful_tokens"}};

void expect_as_reported(const Reported& columns, const std::string& experiment,
                        const std::vector<Setting>& settings) {
  const std::string path = std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/" + experiment;
  const Evaluation evaluation = evaluate(read_experiment(path, settings), {.run = {Engine::LongestPath}});
  const json report = json::parse(report_json(evaluation));
  const auto rows = rows_of(outcome_of(evaluation));
  ASSERT_EQ(rows.size(), report["schedules"].size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [figure, member] : columns) {
      const json& reported = report["schedules"][i][member];
      ASSERT_EQ(rows[i][figure].has_value(), !reported.is_null()) << member;
      if (reported.is_null()) continue;
      EXPECT_EQ(*rows[i][figure], mean_in(reported)) << rows[i].schedule << ' ' << member;
    }
  }
}

TEST(SweepTable, FiguresAreTheReportsToTheLastBit) {
  expect_as_reported(kTimes, "small.json", {});
  expect_as_reported(kThroughput, "small.json", {});
  expect_as_reported(kTimes, "owners.json", {});
  expect_as_reported(kTimes, "experiment-b.json", {{"/draws", "5"}});
  expect_as_reported(kThroughput, "experiment-b.json", {{"/draws", "1"}});
}

}  // namespace
}  // namespace spillway::testing
