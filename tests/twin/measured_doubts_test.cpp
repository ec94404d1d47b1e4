// Doubts about measured passes: none about the roofline's own, and one about each table that cannot be.
#include "warn/measured_doubts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "input/experiment/experiment.h"
#include "input/experiment/measured_rows.h"
#include "support/shipped.h"
#include "twin/trace_rows.h"
#include "twin_of_roofline.h"

namespace spillway::testing {
namespace {

// Two pipeline ranks of 14 layers of 0.6B parameters, 4096 tokens.
Experiment text_job(const std::vector<Setting>& settings = {}) {
  return read_experiment(Source(kExperiments + "ascend-910b-pp2.json"), settings);
}

std::vector<std::string> doubts_about(const std::string& job, const std::vector<MeasuredRow>& rows) {
  Experiment experiment = read_experiment(Source(kExperiments + job + ".json"), {});
  AnalyticCosts& costs = *on_platform(experiment.costs);
  Findings findings;
  costs.measured = measured_passes(rows, experiment.model, costs, findings);
  findings.throw_if_any();
  std::vector<std::string> texts;
  for (const Warning& doubt : measured_doubts(experiment)) texts.push_back(doubt.text);
  return texts;
}

// Rows of the first stage, on lines from 2 on.
MeasuredRow row(int line, const std::string& direction, const std::string& tokens,
                const std::vector<double>& ms, const std::vector<double>& bytes = {}) {
  return {"p.csv", "line " + std::to_string(line), "llm:0-14", direction, tokens, "", ms, bytes};
}

TEST(MeasuredDoubts, AreNoneAboutTheRoofline) {
  for (const std::string job : {"ascend-910b-pp2", "small-vlm"}) {
    const Experiment own = read_experiment(Source(kExperiments + job + ".json"), {});
    const std::string schedule = own.schedules.front().name;
    const Trace trace = trace_of_roofline(
        own, schedule, {Pass::Forward, Pass::Backward, Pass::InputGradient, Pass::WeightGradient});
    EXPECT_EQ(doubts_about(job, trace_rows(trace, own, {{}, {}, schedule}).rows), std::vector<std::string>())
        << job;
  }
}

TEST(MeasuredDoubts, AreNoneWithoutMeasuredPasses) {
  EXPECT_TRUE(measured_doubts(text_job()).empty());
}

TEST(MeasuredDoubts, SecondsInPlaceOfMillisecondsAreFasterThanThePeak) {
  const auto found = doubts_about("ascend-910b-pp2",
                                  {row(2, "forward", "4096", {0.02}), row(3, "backward", "4096", {0.045})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].find(
                "p.csv: line 2: the forward of 4096 tokens takes 2e-05 s, and its products alone 0.01023 s"),
            0u)
      << found[0];
  EXPECT_NE(found[0].find("(and 1 more like it)"), std::string::npos) << found[0];
}

TEST(MeasuredDoubts, MicrosecondsInPlaceOfMillisecondsAreFarFromTheRoofline) {
  const auto found = doubts_about("ascend-910b-pp2", {row(2, "forward", "4096", {2e4})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].find("p.csv: line 2: the forward of 4096 tokens takes 20 s, "), 0u) << found[0];
  EXPECT_NE(found[0].find(" of the roofline: "), std::string::npos) << found[0];
}

TEST(MeasuredDoubts, HalvesThatAreNoneOfTheWhole) {
  const auto with_halves = [](double ms) {
    return doubts_about("ascend-910b-pp2",
                        {row(2, "backward", "4096", {80}), row(3, "input_gradient", "4096", {ms}),
                         row(4, "weight_gradient", "4096", {ms})});
  };
  EXPECT_EQ(with_halves(42), std::vector<std::string>());
  for (const double ms : {70.0, 25.0}) {
    ASSERT_EQ(with_halves(ms).size(), 1u) << ms;
    EXPECT_NE(with_halves(ms)[0].find("they contradict each other"), std::string::npos);
  }
}

TEST(MeasuredDoubts, TimesThatFallWithTokensBeyondTheirSpread) {
  const auto with_times = [](const std::vector<double>& small, const std::vector<double>& large) {
    return doubts_about("ascend-910b-pp2",
                        {row(2, "forward", "2048", small), row(3, "forward", "4096", large)});
  };
  EXPECT_EQ(with_times({39, 41}, {38, 40}), std::vector<std::string>()) << "within the spread";
  const auto found = with_times({59, 61}, {39, 41});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0],
            "p.csv: line 3: the forward of 4096 tokens takes 0.04 s, less than the 0.06 s of a smaller "
            "microbatch (p.csv: line 2)");
}

TEST(MeasuredDoubts, BytesThatFallWithTokens) {
  const auto with_bytes = [](double small, double large) {
    return doubts_about("ascend-910b-pp2",
                        {row(2, "forward", "2048", {20}, {small}), row(3, "forward", "4096", {40}, {large})});
  };
  EXPECT_EQ(with_bytes(1e9, 2e9), std::vector<std::string>());
  const auto found = with_bytes(2e9, 1e9);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].find("p.csv: line 3: the forward keeps 1"), 0u) << found[0];
}

// Passes of other layers are not compared.
TEST(MeasuredDoubts, AreNoneAboutStagesOfOtherLayers) {
  std::vector<MeasuredRow> rows = {row(2, "forward", "2048", {40}), row(3, "forward", "4096", {30})};
  rows[1].stage = "llm:0-7";
  EXPECT_EQ(doubts_about("ascend-910b-pp2", rows), std::vector<std::string>());
}

}  // namespace
}  // namespace spillway::testing
