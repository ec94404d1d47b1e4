#include "sweep/table/ranking.h"

#include <gtest/gtest.h>

#include <sstream>

#include "outcomes.h"

namespace spillway::testing {
namespace {

// Each draw has 1000 tokens of which 500 are of use, on 4 devices at 900 dollars an hour: a dollar a second.
PointOutcome bought(PointOutcome outcome, bool has_price = true) {
  for (std::size_t draw = 0; draw < outcome.schedules.front().makespans.size(); ++draw)
    outcome.accounts.push_back({Flops(1), 1000, 500, 4, FlopsPerSecond(1),
                                has_price ? std::optional(DollarsPerHour(900)) : std::nullopt});
  return outcome;
}

std::string ranked(const std::vector<std::pair<std::string, PointOutcome>>& points,
                   std::size_t columns = 200) {
  SweepRanking ranking(heading_of({"/pipeline/ranks"}));
  for (const auto& [ranks, outcome] : points) ranking.add({ranks}, &outcome);
  ranking.add({"0"}, nullptr);
  return ranking.text(columns);
}

std::string line_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(part) != std::string::npos) return line;
  return "no line with " + part + " in\n" + text;
}

// At 8 ranks 6 s for 500 useful tokens are 1.2e10 s, and as many dollars, for 1e12. The draws of 4 and 8
// ranks differ by 1 every time. Those of 8 and 16 ranks differ in both directions.
TEST(SweepRanking, SaysWhatIsCheapestAndWhatCannotBeToldApart) {
  const std::string text = ranked({{"4", bought(point_of({schedule_of("a", {6, 8, 6, 8})}))},
                                   {"8", bought(point_of({schedule_of("a", {5, 7, 5, 7})}))},
                                   {"16", bought(point_of({schedule_of("a", {7, 5.1, 5, 7})}))}});
  EXPECT_TRUE(
      text.starts_with("cheapest for 1e12 useful tokens:\n"
                       "  1  1.2e+10 USD  a at pipeline ranks 8\n"
                       "  1  1.205e+10 USD  a at pipeline ranks 16\n"
                       "  3  1.4e+10 USD  a at pipeline ranks 4\n"
                       "fastest for 1e12 useful tokens, on all its devices:\n"
                       "  1  1.2e+10 s  a at pipeline ranks 8\n"))
      << text;
  EXPECT_NE(text.find("contains 0"), std::string::npos);
}

TEST(SweepRanking, LeavesOutWhatDoesNotFit) {
  const PointOutcome point =
      holding(bought(point_of({schedule_of("a", {5}), schedule_of("b", {1})})), Bytes(80e9), {60e9, 443e9});
  const std::string text = ranked({{"1", point}});
  EXPECT_EQ(text.find(" b at "), std::string::npos) << text;
  EXPECT_EQ(line_with(text, "left out"), "  left out: 1 step above the memory limit");
  const std::string nothing = ranked({{"1", holding(point, Bytes(1), {60e9, 443e9})}});
  EXPECT_EQ(nothing.find(" at "), std::string::npos) << nothing;
  EXPECT_EQ(line_with(nothing, "left out"), "  left out: 2 steps above the memory limit");
}

TEST(SweepRanking, LeavesOutWhatIsNotKnownToFit) {
  const PointOutcome point =
      holding(bought(point_of({schedule_of("a", {5}), schedule_of("b", {1})})), Bytes(80e9), {60e9});
  const std::string text = ranked({{"1", point}});
  EXPECT_EQ(text.find(" b at "), std::string::npos) << text;
  EXPECT_EQ(line_with(text, "is unknown"),
            "  left out: 1 step too large to hold in memory, whose peak memory is unknown");
}

// A schedule that is not ranked is left out however fast it is.
TEST(SweepRanking, LeavesOutWhatIsNotRanked) {
  PointOutcome point = bought(point_of({schedule_of("a", {5}), schedule_of("omni", {1})}));
  point.schedules[1].unranked = "its rule is not public";
  const std::string text = ranked({{"1", point}, {"2", point}});
  EXPECT_EQ(text.find(" omni at "), std::string::npos) << text;
  EXPECT_EQ(line_with(text, "left out"), "  left out: 2 steps of omni, which is not ranked");
  point.schedules[0].unranked = "nor its";
  EXPECT_EQ(
      ranked({{"1", point}}),
      "  left out: 1 step of a, which is not ranked\n  left out: 1 step of omni, which is not ranked\n");
}

TEST(SweepRanking, SaysWhatTheTimeRestsOn) {
  PointOutcome point = bought(point_of({schedule_of("a", {5})}));
  point.schedules[0].evidence = Evidence::Assumed;
  EXPECT_EQ(line_with(ranked({{"4", point}}), " USD "),
            "  1  1e+10 USD  a at pipeline ranks 4; evidence: assumed");
}

TEST(SweepRanking, WhatHasNoPriceIsRankedByTimeAlone) {
  const std::string text = ranked({{"4", bought(point_of({schedule_of("a", {6})}), false)},
                                   {"8", bought(point_of({schedule_of("a", {7})}))}});
  EXPECT_TRUE(text.starts_with("cheapest for 1e12 useful tokens:\n  1  1.4e+10 USD  a at pipeline ranks 8\n"))
      << text;
  EXPECT_NE(text.find("  1  1.2e+10 s  a at pipeline ranks 4\n"), std::string::npos) << text;
  EXPECT_EQ(line_with(text, "price"), "  without a price: 1 step");
}

TEST(SweepRanking, ShowsFiveAndNothingWithoutAnArchitecture) {
  std::vector<std::pair<std::string, PointOutcome>> points;
  for (int ranks = 9; ranks > 1; --ranks)
    points.push_back({std::to_string(ranks), bought(point_of({schedule_of("a", {ranks + 0.5})}))});
  const std::string text = ranked(points);
  EXPECT_NE(text.find("ranks 6\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("ranks 7\n"), std::string::npos) << text;
  EXPECT_EQ(ranked({{"4", point_of({schedule_of("a", {6})})}}), "");
}

}  // namespace
}  // namespace spillway::testing
