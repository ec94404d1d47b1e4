#include "report/step/baselines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "evaluate/steps.h"
#include "evaluations.h"
#include "report/step/json.h"
#include "report/step/text.h"

namespace spillway::testing {
namespace {

ScheduleResult plain(const std::string& name, double factor) {
  return result_of(name, uniform("1f1b", 2, 2), uniform_costs(1, 1, 1), {factor, factor});
}

// Mpipe takes 12 and 24 s. An untransposed step takes 9 s by hand (2 layers, F = 1, B = 2, P = M = 2), times
// its factor.
Evaluation compared() {
  Evaluation evaluation = evaluation_of(result_of("mpipe", two_by_two(), two_by_two_costs(), {1, 2}));
  evaluation.schedules.push_back(plain("weak", 10));
  evaluation.references.push_back(plain("balanced-1f1b", 4));
  evaluation.schedules[0].beside = Beside{true, 0};
  evaluation.baseline = 1;
  return evaluation;
}

TEST(Baselines, TheFastestThatTransposesNothingIsFound) {
  Evaluation evaluation = compared();
  EXPECT_EQ(fastest_plain(evaluation), &evaluation.references[0]);
  evaluation.references.clear();
  EXPECT_EQ(fastest_plain(evaluation), &evaluation.schedules[1]);
  evaluation.schedules.pop_back();
  EXPECT_EQ(fastest_plain(evaluation), nullptr);
}

TEST(Baselines, TheFastestThatTransposesNothingFits) {
  Evaluation evaluation = compared();
  GivenCosts heavy = uniform_costs(1, 1, 1);
  heavy.blocks[0].activation = Bytes(10);
  evaluation.references[0] = result_of("balanced-1f1b", uniform("1f1b", 2, 2), heavy, {4, 4});
  evaluation.memory_limit = MemoryLimit{Bytes(20), false};
  EXPECT_EQ(fastest_plain(evaluation), &evaluation.references[0]);
  evaluation.memory_limit = MemoryLimit{Bytes(19), false};
  EXPECT_EQ(fastest_plain(evaluation), &evaluation.schedules[1]);
}

// The speedups are 9 s x 4 over 12 and over 24 s: 3 and 1.5, with a mean of 2.25.
TEST(Baselines, SpeedupsAreOfEachDrawOverTheSameDraw) {
  const Evaluation evaluation = compared();
  EXPECT_EQ(speedups_over(evaluation.references[0], evaluation.schedules[0]), (std::vector<double>{3, 1.5}));
  const std::string text = baselines_text(evaluation, 200);
  EXPECT_NE(text.find("over [balanced-1f1b], the fastest plain pipeline: mpipe 2.250x\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("same body"), std::string::npos) << text;
}

TEST(Baselines, BothAreSaidWhereTheBalancedOneIsNotTheFastest) {
  Evaluation evaluation = compared();
  evaluation.schedules.push_back(plain("strong", 2));
  const std::string text = baselines_text(evaluation, 200);
  EXPECT_NE(text.find("over a balanced pipeline of the same body: mpipe 2.250x\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("over strong, the fastest plain pipeline: mpipe 1.125x\n"), std::string::npos) << text;
}

TEST(Baselines, StandInTheReports) {
  const Evaluation evaluation = compared();
  std::ostringstream text;
  write_text_report(text, evaluation);
  EXPECT_NE(text.str().find("\n  [balanced-1f1b] "), std::string::npos) << text.str();
  const auto report = nlohmann::json::parse(report_json(evaluation));
  ASSERT_EQ(report["schedules"].size(), 2u);
  ASSERT_EQ(report["references"].size(), 1u);
  EXPECT_EQ(report["references"][0]["name"], "balanced-1f1b");
  EXPECT_EQ(report["schedules"][0]["over_plain"]["name"], "balanced-1f1b");
  EXPECT_EQ(report["schedules"][0]["over_balanced"]["speedup"]["mean"], 2.25);
  EXPECT_TRUE(report["schedules"][1]["over_plain"].is_null());
}

// Where nothing is transposed, or no comparison was asked for, nothing is printed.
TEST(Baselines, AreSaidOnlyWhereSomethingIsTransposed) {
  Evaluation evaluation = compared();
  evaluation.schedules[0].beside = {};
  EXPECT_EQ(baselines_text(evaluation, 100), "");
}

}  // namespace
}  // namespace spillway::testing
