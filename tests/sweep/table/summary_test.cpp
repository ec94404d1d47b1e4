#include "sweep/table/summary.h"

#include <gtest/gtest.h>

#include <sstream>

#include "outcomes.h"

namespace spillway::testing {
namespace {

PointOutcome against_slow(const std::vector<double>& fast) {
  return point_of({schedule_of("slow", {10, 12}), schedule_of("fast", fast)});
}

// Adds points at which the fast schedule is slower, twice as fast, and equal in the mean (now faster, now
// slower).
SweepSummary summary() {
  SweepSummary summary(heading_of({"/pipeline/ranks"}));
  const PointOutcome twice = against_slow({5, 6}), slower = against_slow({11, 13}),
                     mixed = against_slow({9, 13}), wrong = refused("too large"),
                     wrong_again = refused("even larger");
  summary.add({"4"}, &slower);
  summary.add({"8"}, &twice);
  summary.add({"16"}, &mixed);
  summary.add({"32"}, &wrong);
  summary.add({"64"}, &wrong_again);
  summary.add({"128"}, nullptr);
  return summary;
}

TEST(SweepSummary, SaysWhatBecameOfThePointsAndWhichAreBest) {
  EXPECT_EQ(
      summary().text(1000),
      "by hand: 3 points evaluated, 2 refused, 1 not finished\n"
      "  first refusal  pipeline ranks 32: too large\n"
      "  slow  shortest step 11.00 s at pipeline ranks 4\n"
      "  fast  shortest step 5.500 s at pipeline ranks 8; largest speedup 2 at pipeline ranks 8; faster "
      "than the "
      "baseline in 0 points, slower in 1, undecided in 2\n");
}

// The evidence is that of the shortest step, not of the last one added.
TEST(SweepSummary, SaysWhatTheShortestStepRestsOn) {
  SweepSummary summary(heading_of({"/pipeline/ranks"}));
  PointOutcome shorter = point_of({schedule_of("a", {5})}), longer = point_of({schedule_of("a", {6})});
  shorter.schedules[0].evidence = Evidence::Assumed;
  longer.schedules[0].evidence = Evidence::Measured;
  summary.add({"4"}, &shorter);
  summary.add({"8"}, &longer);
  EXPECT_NE(summary.text(1000).find("  a  shortest step 5.000 s at pipeline ranks 4 (evidence: assumed)\n"),
            std::string::npos)
      << summary.text(1000);
}

// 16 microbatches in 5 s take longer per microbatch than 64 in 8 s. The shorter step does less work.
TEST(SweepSummary, StepsOfDifferentBatchesAreComparedByTheSameWork) {
  SweepSummary summary(heading_of({"/pipeline/microbatches"}));
  PointOutcome few = point_of({schedule_of("a", {5})}), many = point_of({schedule_of("a", {8})});
  few.microbatches = 16;
  many.microbatches = 64;
  summary.add({"16"}, &few);
  summary.add({"64"}, &many);
  EXPECT_NE(
      summary.text(1000).find(
          "  a  least time for a microbatch 125.0 ms, in steps of 8.000 s, at pipeline microbatches 64\n"),
      std::string::npos)
      << summary.text(1000);
}

TEST(SweepSummary, StepsOfDifferentTokensAreComparedByThem) {
  SweepSummary summary(heading_of({"/workload/sequence_tokens"}));
  PointOutcome few = point_of({schedule_of("a", {5, 5})}), many = point_of({schedule_of("a", {8, 8})});
  few.accounts.resize(2);
  many.accounts.resize(2);
  for (std::size_t draw = 0; draw < 2; ++draw) {
    few.accounts[draw] = {Flops(1), 4e6, 1e6 + 2e6 * static_cast<double>(draw), 8, FlopsPerSecond(1)};
    many.accounts[draw] = {Flops(1), 8e6, 4e6, 8, FlopsPerSecond(1)};
  }
  summary.add({"1"}, &few);
  summary.add({"2"}, &many);
  EXPECT_NE(
      summary.text(1000).find(
          "least time for 1e12 useful tokens 2e+06 s, in steps of 8.000 s, at workload sequence (tokens) 2"),
      std::string::npos)
      << summary.text(1000);
}

TEST(SweepSummary, ADifferenceWithinItsIntervalIsUndecided) {
  SweepSummary few(heading_of({}));
  const PointOutcome outcome = against_slow({5, 6});  // 5 and 6 s less: 5.5 +- 6.4
  few.add({}, &outcome);
  EXPECT_NE(few.text(1000).find("faster than the baseline in 0 points, slower in 0, undecided in 1"),
            std::string::npos);
  SweepSummary many(heading_of({}));
  PointOutcome sure = outcome;
  for (ScheduleOutcome& schedule : sure.schedules)
    for (std::size_t i = 0; i < 10; ++i) {
      schedule.makespans.push_back(schedule.makespans[i % 2]);
      for (auto& values : schedule.figures) values.push_back(values[i % 2]);
      schedule.spills.push_back(schedule.spills[i % 2]);
    }
  many.add({}, &sure);
  EXPECT_NE(many.text(1000).find("faster than the baseline in 1 point, slower in 0, undecided in 0"),
            std::string::npos);
}

// The makespans are equal in every draw, and 0 +- 0 is no difference.
TEST(SweepSummary, AScheduleThatTakesAsLongIsUndecided) {
  SweepSummary summary(heading_of({}));
  const PointOutcome outcome = against_slow({10, 12});
  summary.add({}, &outcome);
  EXPECT_NE(summary.text(1000).find("in 0 points, slower in 0, undecided in 1"), std::string::npos)
      << summary.text(1000);
}

// Fast is the shorter everywhere, but fits only at 8 and 32 ranks. Where slow does not fit, no speedup is
// stated.
TEST(SweepSummary, WhatDoesNotFitIsNeitherShortestNorFastest) {
  SweepSummary summary(heading_of({"/pipeline/ranks"}));
  const Bytes limit(80e9);
  const PointOutcome few = holding(against_slow({1, 1}), limit, {70e9, 443e9});
  const PointOutcome some = holding(against_slow({5, 5}), limit, {60e9, 80e9});
  const PointOutcome many = holding(against_slow({2, 2}), limit, {90e9, 81e9});
  const PointOutcome most = holding(against_slow({4, 4}), limit, {90e9, 50e9});
  summary.add({"4"}, &few);
  summary.add({"8"}, &some);
  summary.add({"16"}, &many);
  summary.add({"32"}, &most);
  EXPECT_EQ(
      summary.text(1000),
      "by hand: 4 points evaluated\n"
      "  slow  shortest step 11.00 s at pipeline ranks 4; does not fit in 2 points: needs 90 GB of 80 GB or "
      "more, the least at pipeline ranks 16\n"
      "  fast  shortest step 4.000 s at pipeline ranks 32; largest speedup 2.2 at pipeline ranks 8; "
      "faster than the baseline in 0 points, slower in 0, undecided in 1; fits in 1 point where the "
      "baseline does not; does not fit in 2 points: needs 81 GB of 80 GB or more, the least at pipeline ranks "
      "16\n");
}

TEST(SweepSummary, AScheduleThatNeverFitsHasNoShortestStep) {
  SweepSummary summary(heading_of({"/pipeline/ranks"}));
  const PointOutcome four = holding(against_slow({1, 1}), Bytes(64e9), {64e9, 443e9});
  summary.add({"4"}, &four);
  EXPECT_NE(
      summary.text(1000).find("\n  fast  fits in none of 1 point: needs 443 GB of 64 GB or more, the least at "
                              "pipeline ranks 4\n"),
      std::string::npos)
      << summary.text(1000);
}

// The memory of this step is not known, as for streamed steps, and the summary says so.
TEST(SweepSummary, SaysWhereMemoryIsNotKnown) {
  SweepSummary summary(heading_of({"/pipeline/ranks"}));
  const PointOutcome four = holding(against_slow({1, 1}), Bytes(64e9), {64e9});
  summary.add({"4"}, &four);
  EXPECT_NE(summary.text(1000).find("undecided in 1; memory unknown in 1 point\n"), std::string::npos)
      << summary.text(1000);
}

// A baseline that is not ranked is marked, too.
TEST(SweepSummary, MarksWhatIsNotRankedAndSaysOnceWhy) {
  SweepSummary summary(heading_of({"/pipeline/ranks"}));
  PointOutcome point = against_slow({5, 6});
  point.schedules[0].unranked = "its rule is not public";
  summary.add({"4"}, &point);
  summary.add({"8"}, &point);
  const std::string text = summary.text(1000);
  EXPECT_NE(text.find("  slow (not ranked)  shortest step"), std::string::npos) << text;
  EXPECT_NE(text.find("  fast  shortest step"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("  slow is not ranked: its rule is not public\n")) << text;
  EXPECT_EQ(text.find("its rule"), text.rfind("its rule")) << text;
}

TEST(SweepSummary, WarningsAreCountedByTheirCode) {
  SweepSummary summary(heading_of({"/pipeline/ranks"}));
  PointOutcome four = against_slow({1, 1}), eight = four;
  four.warnings = {{"lost", "3 images"}};
  eight.warnings = {{"lost", "4 images"}, {"other", "that"}};
  summary.add({"4"}, &four);
  summary.add({"8"}, &eight);
  EXPECT_TRUE(
      summary.text(1000).ends_with("warning: in 2 points, first at pipeline ranks 4: 3 images\n"
                                   "warning: in 1 point, first at pipeline ranks 8: that\n"))
      << summary.text(1000);
}

TEST(SweepSummary, LinesAreNoLongerThanTheTerminal) {
  std::istringstream text(summary().text(60));
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 60u) << line;
}

}  // namespace
}  // namespace spillway::testing
