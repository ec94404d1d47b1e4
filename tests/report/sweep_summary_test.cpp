#include "report/sweep_summary.h"

#include <gtest/gtest.h>

#include <sstream>

#include "sweep_outcomes.h"

namespace spillway::testing {
namespace {

PointOutcome against_slow(const std::vector<double>& fast) {
  return point_of({schedule_of("slow", {10, 12}), schedule_of("fast", fast)});
}

// Twice as fast; a little slower; as long in the mean, now faster, now slower.
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

TEST(SweepSummary, ADifferenceWithinItsIntervalIsUndecided) {
  SweepSummary few(heading_of({}));
  const PointOutcome outcome = against_slow({5, 6});  // 5 and 6 s less: 5.5 +- 6.4
  few.add({}, &outcome);
  EXPECT_NE(few.text(1000).find("faster than the baseline in 0 points, slower in 0, undecided in 1"),
            std::string::npos);
  SweepSummary many(heading_of({}));
  PointOutcome sure = outcome;
  for (ScheduleOutcome& schedule : sure.schedules)
    for (int i = 0; i < 10; ++i) schedule.draws.push_back(schedule.draws[static_cast<std::size_t>(i % 2)]);
  many.add({}, &sure);
  EXPECT_NE(many.text(1000).find("faster than the baseline in 1 point, slower in 0, undecided in 0"),
            std::string::npos);
}

TEST(SweepSummary, LinesAreNoLongerThanTheTerminal) {
  std::istringstream text(summary().text(60));
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 60u) << line;
}

}  // namespace
}  // namespace spillway::testing
