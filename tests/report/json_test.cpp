#include "report/step/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "evaluations.h"

namespace spillway::testing {
namespace {

using nlohmann::json;

json parsed_report(const ScheduleResult& result) {
  return json::parse(report_json(evaluation_of(result)));
}

TEST(ReportJson, OneDrawGivesNumbers) {
  const json report = parsed_report(result_of("mpipe", two_by_two(), two_by_two_costs()));
  EXPECT_EQ(report["schema"], "spillway/report/2");
  EXPECT_EQ(report["experiment"], "by hand");
  const json& schedule = report["schedules"][0];
  EXPECT_EQ(schedule["name"], "mpipe");
  EXPECT_EQ(schedule["schedule"], "transpose,1f1b");
  EXPECT_EQ(schedule["makespan_s"], 12.0);
  EXPECT_EQ(schedule["engines"]["longest_path_s"], 12.0);
  EXPECT_TRUE(schedule["engines"]["simgrid_s"].is_null());
  EXPECT_TRUE(schedule["simulation"].contains("events"));
}

// Each rank encodes for 1 s, and runs two forwards and two backwards: 7 s of 12. Rank 0 sends twice, rank 1
// three times. Rank 0 is idle between its second output and the first gradient (4 to 6 s), rank 1 after its
// last gradient. With free encoding rank 0 may start at once, while rank 1 still waits for the Gather and
// Send: 1 s of F1 on rank 0, 1 s on the wire.
TEST(ReportJson, RanksCarryEveryFigure) {
  const json ranks =
      parsed_report(result_of("mpipe", two_by_two(), two_by_two_costs()))["schedules"][0]["ranks"];
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_EQ(ranks[0],
            json::parse(R"({"replica": 0, "rank": 0, "busy_s": 7.0, "communication_s": 2.0, "bubble_s": 5.0,
    "idle_s": 2.0, "first_start_s": 0.0, "last_end_s": 12.0, "warmup_slack_s": 0.0, "encoder_s": 1.0, "spill_s": 1.0,
    "peak_activations": 2.0, "peak_memory_bytes": null})"));
  EXPECT_EQ(ranks[1],
            json::parse(R"({"replica": 0, "rank": 1, "busy_s": 7.0, "communication_s": 3.0, "bubble_s": 5.0,
    "idle_s": 2.0, "first_start_s": 0.0, "last_end_s": 9.0, "warmup_slack_s": 2.0, "encoder_s": 1.0, "spill_s": 0.0,
    "peak_activations": 1.0, "peak_memory_bytes": null})"));
}

// A schedule that transposes nothing has no spill: null, not zero.
TEST(ReportJson, WhatTransposesNothingHasNoSpill) {
  const json schedule =
      parsed_report(result_of("base", uniform("1f1b", 2, 2), uniform_costs(1, 1, 1)))["schedules"][0];
  for (const char* key : {"max_spill_s", "exposed_encoder_s", "spill", "encoder_microbatch_s"})
    EXPECT_TRUE(schedule.at(key).is_null()) << key;
  for (const char* key : {"warmup_slack_s", "encoder_s", "spill_s"})
    EXPECT_TRUE(schedule["ranks"][0].at(key).is_null()) << key;
}

TEST(ReportJson, SaysWhichMicrobatchRunsWhere) {
  const ScheduleResult result = result_of("mpipe", two_by_two(), two_by_two_costs());
  const json as_sampled = parsed_report(result)["schedules"][0],
             reordered = parsed_report(swapped(result))["schedules"][0];
  EXPECT_EQ(as_sampled["order"], "as-sampled");
  EXPECT_TRUE(as_sampled["sampled_as"].is_null());
  EXPECT_EQ(reordered["order"], "heaviest-first");
  EXPECT_EQ(reordered["sampled_as"], json::parse("[[2, 1]]"));
}

GivenCosts two_by_two_with_memory() {
  GivenCosts costs = two_by_two_costs();
  costs.blocks[0].state = {Bytes(1), Bytes(1), Bytes(1)};
  costs.blocks[1].state = {Bytes(100), Bytes(200), Bytes(600)};
  costs.blocks[1].activation = Bytes(10);
  return costs;
}

// The frozen encoder holds only its parameter; rank 0 holds both microbatches from 2 s on, rank 1 holds one
// from 3 s on.
TEST(ReportJson, RanksCarryTheirMemoryWhereBytesAreStated) {
  const json ranks =
      parsed_report(result_of("mpipe", two_by_two(), two_by_two_with_memory()))["schedules"][0]["ranks"];
  EXPECT_EQ(ranks[0]["peak_memory_bytes"], 921.0);
  EXPECT_EQ(
      ranks[0]["peak_memory"],
      json::parse(
          R"({"when_s": 2.0, "parameter_bytes": 101.0, "gradient_bytes": 200.0, "optimizer_bytes": 600.0,
    "activation_bytes": 20.0, "transposed_bytes": 0.0, "waiting_bytes": 0.0,
    "working_bytes": 0.0,
    "workspace_bytes": 0.0})"));
  EXPECT_EQ(ranks[1]["peak_memory_bytes"], 911.0);
  EXPECT_EQ(ranks[1]["peak_memory"]["when_s"], 3.0);
}

TEST(ReportJson, MemoryOfSeveralDrawsIsASpread) {
  ScheduleResult result = result_of("mpipe", two_by_two(), two_by_two_with_memory(), {1, 1});
  result.draws[1].memory[0].parts.transposed = Bytes(50);
  const json rank = parsed_report(result)["schedules"][0]["ranks"][0];
  EXPECT_EQ(rank["peak_memory_bytes"]["mean"], 946.0);
  EXPECT_EQ(rank["peak_memory"]["transposed_bytes"]["p99"], 50.0);
  EXPECT_EQ(rank["peak_memory"]["activation_bytes"]["mean"], 20.0);
  EXPECT_EQ(rank["peak_memory"]["activation_bytes"]["ci95"], 0.0);
}

// A figure is a spread whether it varies or not.
TEST(ReportJson, FiguresOfSeveralDrawsAreSpreads) {
  const json report = parsed_report(result_of("mpipe", two_by_two(), two_by_two_costs(), {1, 2, 3, 4}));
  EXPECT_EQ(report["draws"], 4);
  const json& schedule = report["schedules"][0];
  EXPECT_EQ(schedule["makespan_s"]["mean"], 30.0);
  EXPECT_EQ(schedule["makespan_s"]["p50"], 24.0);
  EXPECT_EQ(schedule["engines"]["longest_path_s"]["p99"], 48.0);
  EXPECT_EQ(schedule["ranks"][0]["spill_s"]["mean"], 2.5);
  EXPECT_EQ(schedule["speedup"]["p5"], 1.0);
  EXPECT_EQ(schedule["speedup"]["ci95"], 0.0);
  EXPECT_EQ(schedule["ranks"][0]["busy_s"]["mean"], 7.0);
}

TEST(ReportJson, SameEvaluationSameBytes) {
  const Evaluation evaluation =
      evaluation_of(result_of("mpipe", two_by_two(), two_by_two_costs(), {1, 2, 3}));
  EXPECT_EQ(report_json(evaluation), report_json(evaluation));
}

TEST(ReportJson, FittedAndAssumedStandBesideTheResult) {
  Evaluation evaluation = evaluation_of(result_of("mpipe", two_by_two(), two_by_two_costs()));
  evaluation.fitted = {{"/model/efficiency", "baseline", Seconds(16.26), 0.4, Seconds(16.26)}};
  evaluation.assumptions = {"a \"quoted\" layout"};
  const json report = json::parse(report_json(evaluation));
  EXPECT_EQ(report["fitted"][0]["target_s"], 16.26);
  EXPECT_EQ(report["assumptions"][0], "a \"quoted\" layout");
}

TEST(ReportJson, SchedulesAreJudgedByTheLimit) {
  Evaluation evaluation = evaluation_of(result_of("mpipe", two_by_two(), two_by_two_with_memory()));
  const auto judged = [&] { return json::parse(report_json(evaluation))["schedules"][0]; };
  EXPECT_EQ(judged()["peak_memory_bytes"], 921.0);
  EXPECT_TRUE(judged()["memory_limit_bytes"].is_null());
  EXPECT_TRUE(judged()["fits"].is_null());
  evaluation.memory_limit = MemoryLimit{Bytes(921), false};
  EXPECT_EQ(judged()["memory_limit_bytes"], 921.0);
  EXPECT_EQ(judged()["fits"], true);
  evaluation.memory_limit = MemoryLimit{Bytes(920), true};
  EXPECT_EQ(judged()["fits"], false);
  evaluation.schedules = {result_of("mpipe", two_by_two(), two_by_two_costs())};
  EXPECT_TRUE(judged()["peak_memory_bytes"].is_null());
  EXPECT_TRUE(judged()["fits"].is_null());
}

TEST(ReportJson, WarningsOfAllSchedulesStandUnderEach) {
  Evaluation evaluation = evaluation_of(result_of("mpipe", two_by_two(), two_by_two_costs()));
  evaluation.warnings = {{"for-all", "of both"}};
  evaluation.schedules[0].warnings = {{"of-one", "of mpipe"}};
  const json report = json::parse(report_json(evaluation));
  EXPECT_EQ(report["warnings"], json::parse(R"([{"code": "for-all", "text": "of both"}])"));
  EXPECT_EQ(report["schedules"][0]["warnings"], json::parse(R"([{"code": "for-all", "text": "of both"},
    {"code": "of-one", "text": "of mpipe"}])"));
}

}  // namespace
}  // namespace spillway::testing
