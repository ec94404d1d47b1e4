// Throughput and evidence in text and JSON, on evaluations made by hand.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "evaluations.h"
#include "report/step/evidence_text.h"
#include "report/step/json.h"
#include "report/step/text.h"

namespace spillway::testing {
namespace {

using nlohmann::json;

// The step takes 12 s, and twice as long in the second draw.
Evaluation priced(std::optional<DollarsPerHour> price) {
  ScheduleResult result = result_of("mpipe", two_by_two(), two_by_two_costs(), {1, 2});
  for (DrawResult& draw : result.draws)
    draw.account = StepAccount{Flops(48e12), 2400, 1800, 4, FlopsPerSecond(2e12), price};
  return evaluation_of(result);
}

json first_schedule(const Evaluation& evaluation) {
  return json::parse(report_json(evaluation))["schedules"][0];
}

// 48 TFLOPs in 12 and 24 s on 4 devices of 2 TFLOP/s are half and a quarter of the peak. 4 x 12 s at 75
// dollars an hour cost 1 dollar.
TEST(ReportJson, ThroughputIsGivenOverTheDraws) {
  const json schedule = first_schedule(priced(DollarsPerHour(75)));
  EXPECT_DOUBLE_EQ(schedule["mfu"]["mean"], 0.375);
  EXPECT_DOUBLE_EQ(schedule["mfu"]["p95"], 0.5);
  EXPECT_DOUBLE_EQ(schedule["tokens_per_s"]["mean"], 150);
  EXPECT_DOUBLE_EQ(schedule["tokens_per_s_per_device"]["mean"], 37.5);
  EXPECT_DOUBLE_EQ(schedule["model_flops"]["mean"], 48e12);
  EXPECT_DOUBLE_EQ(schedule["usd_per_step"]["mean"], 1.5);
  EXPECT_DOUBLE_EQ(schedule["useful_tokens_per_s"]["mean"], 112.5);
  EXPECT_DOUBLE_EQ(schedule["fill"]["mean"], 0.75);
  EXPECT_DOUBLE_EQ(schedule["usd_per_1e12_useful_tokens"]["mean"], 1.5 / 1800 * 1e12);
  const json report = json::parse(report_json(priced({})));
  EXPECT_NE(report["flops_convention"].get<std::string>().find("causal attention counted half"),
            std::string::npos);
}

// Without useful tokens there is no price per useful token.
TEST(ReportJson, NothingOfUseHasNoPricePerToken) {
  Evaluation evaluation = priced(DollarsPerHour(75));
  for (DrawResult& draw : evaluation.schedules[0].draws) draw.account->useful_tokens = 0;
  const json schedule = first_schedule(evaluation);
  EXPECT_TRUE(schedule["usd_per_1e12_useful_tokens"].is_null());
  EXPECT_DOUBLE_EQ(schedule["usd_per_step"]["mean"], 1.5);
}

TEST(ReportJson, NoPriceNoCost) {
  const json schedule = first_schedule(priced({}));
  EXPECT_TRUE(schedule["usd_per_step"].is_null());
  EXPECT_TRUE(schedule["usd_per_1e12_useful_tokens"].is_null());
  EXPECT_FALSE(schedule["useful_tokens_per_s"].is_null());
  EXPECT_FALSE(schedule["mfu"].is_null());
}

TEST(ReportJson, GivenDurationsHaveNoThroughputAndNoEvidence) {
  const Evaluation evaluation = evaluation_of(result_of("mpipe", two_by_two(), two_by_two_costs()));
  const json schedule = first_schedule(evaluation);
  for (const char* key : {"mfu", "tokens_per_s", "tokens_per_s_per_device", "model_flops", "usd_per_step",
                          "useful_tokens_per_s", "fill", "usd_per_1e12_useful_tokens", "evidence"}) {
    ASSERT_TRUE(schedule.contains(key)) << key;
    EXPECT_TRUE(schedule[key].is_null()) << key;
  }
  const std::string text = text_of(evaluation);
  EXPECT_EQ(text.find("MFU"), std::string::npos);
  EXPECT_EQ(text.find("evidence"), std::string::npos);
}

TEST(TextReport, ThroughputStandsBesideItsConvention) {
  const std::string text = text_of(priced(DollarsPerHour(75)));
  for (const char* part : {"37.50 %", "4.800e+13", "USD/step", "1.50", "833,333,333", "75.0 %",
                           "(4 devices x 2 TFLOP/s x makespan)", "FLOPs per weight", "without padding"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
  EXPECT_EQ(text_of(priced({})).find("USD"), std::string::npos);
}

ScheduleResult with_operators(const std::vector<PricedOperator>& operators) {
  ScheduleResult result = result_of("mpipe", two_by_two(), two_by_two_costs());
  result.first.operators = operators;
  result.first.evidence = summarize(operators);
  return result;
}

const PricedOperator kMeasured{"attention", "causal s=8192", Evidence::Measured, Seconds(30)};

ScheduleResult with_operators(std::size_t derived) {
  std::vector<PricedOperator> operators = {
      kMeasured, {"gemm", "m=8192 n=4608 k=7168", Evidence::Extrapolated, Seconds(10)}};
  for (std::size_t i = 0; i < derived; ++i)
    operators.push_back(
        {"gemm", "m=" + std::to_string(i), Evidence::Derived, Seconds(60 / static_cast<double>(derived))});
  return with_operators(operators);
}

TEST(EvidenceText, SaysWhatTheTimeRestsOn) {
  EXPECT_EQ(evidence_lines(with_operators(2), 200),
            "  evidence: weakest extrapolated; by share of operator time: measured 30.0 %, derived 60.0 %, "
            "extrapolated 10.0 %\n"
            "  3 operator shapes without a measurement, the longest: gemm m=0, gemm m=1, gemm m=8192 n=4608 "
            "k=7168\n");
  EXPECT_NE(text_of(evaluation_of(with_operators(2))).find("  evidence: weakest extrapolated"), std::string::npos);
}

TEST(EvidenceText, ListsAtMostTwenty) {
  EXPECT_EQ(unmeasured_table(with_operators(19)).find("more"), std::string::npos);
  const std::string text = unmeasured_table(with_operators(25));
  EXPECT_NE(text.find("and 6 more\n"), std::string::npos) << text;
  EXPECT_NE(text.find("10.00 %"), std::string::npos) << text;  // the longest comes first and is shown
}

TEST(EvidenceText, NothingMissingIsNothingListed) {
  const ScheduleResult result = with_operators(std::vector{kMeasured});
  EXPECT_EQ(unmeasured_table(result), "");
  EXPECT_EQ(evidence_lines(result, 200),
            "  evidence: weakest measured; by share of operator time: measured 100.0 %\n");
}

TEST(ReportJson, EvidenceAndInputsAreListed) {
  Evaluation evaluation = evaluation_of(with_operators(2));
  evaluation.inputs = {{"tier node: latency", 7.6, "us", Evidence::Derived, "an affine fit"}};
  const json report = json::parse(report_json(evaluation));
  EXPECT_EQ(report["inputs"], json::parse(R"([{"name": "tier node: latency", "value": 7.6, "unit": "us",
    "kind": "derived", "source": "an affine fit"}])"));
  const json schedule = report["schedules"][0];
  EXPECT_EQ(schedule["evidence_weakest"], "extrapolated");
  EXPECT_DOUBLE_EQ(schedule["evidence"]["derived"], 0.6);
  EXPECT_DOUBLE_EQ(schedule["evidence"]["assumed"], 0.0);
  ASSERT_EQ(schedule["unmeasured"].size(), 3U);
  EXPECT_EQ(schedule["unmeasured"][2],
            json::parse(R"({"name": "gemm", "shape": "m=8192 n=4608 k=7168", "kind": "extrapolated",
    "device_s": 10.0})"));
}

}  // namespace
}  // namespace spillway::testing
