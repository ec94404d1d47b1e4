// The result of a run in one sentence.
#include "report/step/verdict.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "evaluations.h"

namespace spillway::testing {
namespace {

ScheduleResult transposed(const std::vector<double>& factors) {
  return result_of("mpipe", two_by_two(), two_by_two_costs(), factors);
}

// Returns a schedule that takes 12 s times these factors.
ScheduleResult scaled_plain(const std::string& name, const std::vector<double>& factors) {
  const Model model({{"enc", Role::Encoder, 1, false}, {"llm", Role::Backbone, 2, true}});
  ScheduleResult result = result_of(name, derive(model, schedule("1f1b"), Cut{}, {.pipeline = {2, 2, 1}}),
                                    two_by_two_costs(), factors);
  for (std::size_t draw = 0; draw < factors.size(); ++draw)
    result.draws[draw].step.makespan = Seconds(12) * factors[draw];
  return result;
}

Evaluation evaluation_with(std::vector<ScheduleResult> schedules, std::size_t baseline = 0) {
  Evaluation evaluation{"by hand", baseline, {}, {}, {}};
  evaluation.schedules = std::move(schedules);
  return evaluation;
}

PeakMemory peak_of(Bytes bytes) {
  return {ReplicaId(0), RankId(0), {.activations = bytes}, Seconds(1)};
}

TEST(Verdict, OfOneScheduleIsItsStep) {
  EXPECT_EQ(verdict(evaluation_of(transposed({1}))),
            "mpipe takes 12.00 s a step; memory unknown; durations as given");
}

TEST(Verdict, EndsWithTheErrorsThatItsFigureLeavesOut) {
  Evaluation evaluation = evaluation_of(transposed({1}));
  evaluation.warnings = {{"no-effect", "a key changes nothing"},
                         {"host-not-stated", "the host is assumed", "images took 2 to 10 times longer"}};
  EXPECT_EQ(
      verdict(evaluation),
      "mpipe takes 12.00 s a step; memory unknown; durations as given; images took 2 to 10 times longer");
}

TEST(Verdict, SaysOfWhomItNamesThatItIsNotRanked) {
  Evaluation evaluation = evaluation_of(transposed({1}));
  evaluation.schedules[0].unranked = "its rule is not public";
  EXPECT_TRUE(verdict(evaluation).starts_with("mpipe, which is not ranked, takes 12.00 s a step;"))
      << verdict(evaluation);
  evaluation = evaluation_with({scaled_plain("plain", {1}), transposed({0.5})}, 1);
  evaluation.schedules[1].unranked = "its rule is not public";
  EXPECT_NE(verdict(evaluation).find("plain takes 12.00 s a step"), std::string::npos) << verdict(evaluation);
  EXPECT_NE(verdict(evaluation).find(" mpipe (not ranked)"), std::string::npos) << verdict(evaluation);
}

TEST(Verdict, HoldsTheFastestAgainstTheStrongestPlainOneAndTheBaseline) {
  Evaluation evaluation =
      evaluation_with({transposed({1}), scaled_plain("weak", {2}), scaled_plain("strong", {1.25})}, 1);
  evaluation.schedules[0].beside = Beside{false, 2};
  EXPECT_EQ(verdict(evaluation),
            "mpipe takes 12.00 s a step, 1.250x faster than strong, the fastest plain pipeline, and "
            "2.000x faster than weak; memory unknown; durations as given");
}

// If a plain schedule beats the transposed one, the sentence names it.
TEST(Verdict, APlainScheduleCanWin) {
  Evaluation evaluation = evaluation_with({transposed({1}), scaled_plain("strong", {0.5})}, 1);
  evaluation.schedules[0].beside = Beside{false, 1};
  EXPECT_EQ(verdict(evaluation).substr(0, 53), "strong takes 6.000 s a step, 2.000x faster than mpipe");
}

TEST(Verdict, DrawsPutIntervalsBeside) {
  Evaluation evaluation = evaluation_with({transposed({1, 1, 1}), scaled_plain("other", {1.9, 2, 2.1})}, 1);
  const std::string said = verdict(evaluation);
  EXPECT_NE(said.find("2.000x faster than other [1.752, 2.248]"), std::string::npos)
      << said;  // 4.3027 x 0.1 / sqrt(3)
}

TEST(Verdict, WhatDrawsDoNotTellApartIsAsFast) {
  Evaluation evaluation =
      evaluation_with({transposed({1, 1, 1}), scaled_plain("other", {0.9, 1.03, 1.1})}, 1);
  EXPECT_NE(verdict(evaluation).find("x as fast as other ["), std::string::npos) << verdict(evaluation);
}

// One pipeline splits its layers by count, the other by the time that they take.
TEST(Verdict, SaysWhatASplitByTheSameRuleGives) {
  Evaluation evaluation = evaluation_with({transposed({1}), scaled_plain("strong", {1.25})}, 1);
  evaluation.schedules[0].beside = Beside{false, 1};
  evaluation.schedules[0].split = SplitRule::ByCount;
  EXPECT_EQ(verdict(evaluation).find("split"), std::string::npos) << verdict(evaluation);
  evaluation.by_cost = {{0, SplitRule::Jointly, transposed({1})}};
  evaluation.by_cost.front().result.draws.front().step.makespan = Seconds(10);
  EXPECT_EQ(
      verdict(evaluation),
      "mpipe takes 12.00 s a step, 1.250x faster than strong, the fastest plain pipeline; memory unknown; "
      "with layers split by time instead of by count, mpipe takes 10.00 s: mpipe is 1.500x faster "
      "than strong; durations as given");
  evaluation.schedules[1].split = SplitRule::ByCount;
  EXPECT_EQ(verdict(evaluation).find("split"), std::string::npos) << verdict(evaluation);
}

TEST(Verdict, WhatDoesNotFitIsNotTheAnswer) {
  Evaluation evaluation = evaluation_with({transposed({1}), scaled_plain("small", {2})});
  evaluation.memory_limit = MemoryLimit{gigabytes(80), true};
  evaluation.schedules[0].draws[0].memory = {peak_of(gigabytes(272))};
  evaluation.schedules[1].draws[0].memory = {peak_of(gigabytes(40))};
  const std::string said = verdict(evaluation);
  EXPECT_TRUE(said.starts_with("small takes 24.00 s a step, ")) << said;
  EXPECT_NE(said.find("; fits into 80 GB; faster, but too large: mpipe;"), std::string::npos) << said;
}

TEST(Verdict, WhereNothingFitsItSaysSo) {
  Evaluation evaluation = evaluation_of(transposed({1}));
  evaluation.memory_limit = MemoryLimit{gigabytes(80), false};
  evaluation.schedules[0].draws[0].memory = {peak_of(gigabytes(272))};
  EXPECT_NE(verdict(evaluation).find("; does not fit: it needs 272 GB of 80 GB;"), std::string::npos)
      << verdict(evaluation);
}

TEST(Verdict, NamesTheEvidenceThatCarriesTheTime) {
  Evaluation evaluation = evaluation_of(transposed({1}));
  evaluation.schedules[0].first.evidence =
      EvidenceSummary{{0.05, 0, 0.15, 0.67, 0, 0.13}, Evidence::Assumed, {}};
  EXPECT_NE(verdict(evaluation).find("; evidence: fitted 67 %, derived 15 %, assumed 13 %"),
            std::string::npos)
      << verdict(evaluation);
}

TEST(Verdict, StandsFirstAndTheRestOnRequest) {
  const Evaluation evaluation = evaluation_of(transposed({1}));
  const auto text = [&](const TextStyle& style) {
    std::ostringstream out;
    write_text_report(out, evaluation, style);
    return out.str();
  };
  const std::string brief = text({});
  EXPECT_TRUE(brief.starts_with("mpipe takes 12.00 s a step; ")) << brief;
  EXPECT_EQ(brief.find("rank 0"), std::string::npos) << brief;
  EXPECT_EQ(brief.find('\033'), std::string::npos);
  EXPECT_TRUE(text({.colour = true}).starts_with("\033[1mmpipe takes 12.00 s a step;"));
  EXPECT_NE(text({.verbose = true}).find("rank 0"), std::string::npos);
  EXPECT_EQ(text({.verbose = true}).find("slack w_r    a rank's"), std::string::npos);
  EXPECT_NE(text({.legend = true}).find("spill        max(0, E_r - w_r)"), std::string::npos);
}

}  // namespace
}  // namespace spillway::testing
