// One validation made by hand, as text and as JSON.
#include "report/inputs/trace_validation.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/schema_check.h"

namespace spillway::testing {
namespace {

using nlohmann::json;

Components parts(double compute, double transfer, double collective, double wait, double host_gap) {
  return {Seconds(compute), Seconds(transfer), Seconds(collective), Seconds(wait), Seconds(host_gap)};
}

ValidatedStep one_case(const std::string& step, std::uint32_t replica, double measured, double replayed) {
  const auto seconds = [&](double more) { return Seconds(replayed + more); };
  return {step,
          ReplicaId(replica),
          Seconds(measured),
          seconds(0),
          seconds(0.5),
          seconds(1),
          seconds(0.25),
          seconds(-1),
          std::nullopt,
          {{parts(6, 1, 0.5, 2, 0.5), parts(6, 1, 0, 2.5, 0), std::nullopt}}};
}

// There is one rank; its spans of 10 s are replayed as 9.5 and 10.1 s.
Validation by_hand() {
  return {"straggler-analysis",
          {"trace.csv"},
          {"1f1b", 0, "", {}},
          1,
          1,
          4,
          2,
          {PointToPoint::Blocking, 12, 0.001, {}},
          Seconds(0.002),
          {one_case("16", 0, 10, 9.5), one_case("warm", 1, 10, 10.1)},
          {{0, 0, TraceKind::Forward, 4, 441.5, Seconds(0.08), Seconds(0.03), Seconds(0.01), Seconds(0.04)}},
          {{NoteKind::Dropped, 3, "rows with a negative duration"}}};
}

Validation with_model() {
  Validation validation = by_hand();
  for (ValidatedStep& one : validation.cases) {
    one.model = Seconds(12);
    one.ranks[0].model = parts(9, 1, 0, 2, 0);
  }
  return validation;
}

json parsed_validation(const Validation& validation) {
  return json::parse(trace_validation_json(validation));
}

TEST(TraceValidationJson, TellsHostGapsFromKernelTime) {
  const json pass = parsed_validation(by_hand())["kernels"][0];
  EXPECT_EQ(pass["pass"], "forward");
  EXPECT_EQ(pass["kernels"], 441.5);
  EXPECT_EQ(pass["kernel_busy_s"], 0.03);
  EXPECT_EQ(pass["host_gap_s"], 0.04);
  std::ostringstream text;
  write_trace_validation(text, by_hand());
  EXPECT_NE(text.str().find("rank 0, stage 0, forward"), std::string::npos) << text.str();
}

TEST(TraceValidationJson, WithoutKernelsFollowsTheSchema) {
  Validation validation = by_hand();
  validation.kernels.clear();
  EXPECT_TRUE(SchemaCheck("validation").accepts(parsed_validation(validation)));
}

TEST(TraceValidationJson, SaysWhatTheTraceIs) {
  const json document = parsed_validation(by_hand());
  EXPECT_EQ(document["schema"], "spillway/validation/1");
  EXPECT_EQ(document["format"], "straggler-analysis");
  EXPECT_EQ(document["schedule"], "1f1b");
  EXPECT_EQ(document["p2p"], "blocking");
  EXPECT_EQ(document["ranks"], 1);
  EXPECT_EQ(document["microbatches"], 4);
  EXPECT_EQ(document["notes"], json::parse(R"(["dropped: 3 rows with a negative duration"])"));
}

TEST(TraceValidationJson, CasesCarryEveryReplayAndWhereItsTimeGoes) {
  const json document = parsed_validation(by_hand());
  ASSERT_EQ(document["cases"].size(), 2u);
  EXPECT_EQ(document["cases"][1]["step"], "warm");
  EXPECT_EQ(document["cases"][0],
            json::parse(R"({"step": 16, "replica": 0, "measured_s": 10.0, "replayed_s": 9.5,
    "constant_transfer_s": 10.0, "means_only_s": 10.5, "means_per_replica_s": 9.75, "other_mode_s": 8.5,
    "model_s": null, "ranks": [{"rank": 0,
      "measured": {"compute_s": 6.0, "transfer_s": 1.0, "collective_s": 0.5, "wait_s": 2.0, "host_gap_s": 0.5},
      "replayed": {"compute_s": 6.0, "transfer_s": 1.0, "collective_s": 0.0, "wait_s": 2.5, "host_gap_s": 0.0},
      "model": null}]})"));
}

TEST(TraceValidationJson, SummariesAreRelativeAndSigned) {
  const json summary = parsed_validation(by_hand())["summary"];
  EXPECT_NEAR(summary["replayed"]["mean_abs_error"].get<double>(), 0.03, 1e-12);
  EXPECT_NEAR(summary["replayed"]["max_abs_error"].get<double>(), 0.05, 1e-12);
  EXPECT_NEAR(summary["replayed"]["bias"].get<double>(), -0.02, 1e-12);
  EXPECT_TRUE(summary["model"].is_null());
  EXPECT_NEAR(parsed_validation(with_model())["summary"]["model"]["bias"].get<double>(), 0.2, 1e-12);
}

TEST(TraceValidationJson, FollowsItsSchema) {
  EXPECT_TRUE(SchemaCheck("validation").accepts(parsed_validation(by_hand())));
  EXPECT_TRUE(SchemaCheck("validation").accepts(parsed_validation(with_model())));
  json lacking = parsed_validation(by_hand());
  lacking["cases"][0]["ranks"][0]["measured"].erase("wait_s");
  EXPECT_FALSE(SchemaCheck("validation").accepts(lacking));
}

std::string validation_text(const Validation& validation) {
  std::ostringstream out;
  write_trace_validation(out, validation);
  return out.str();
}

void expect_line(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find(line), std::string::npos) << line << "\nnot in\n" << text;
}

TEST(TraceValidationText, GivesTraceErrorsWorstCasesAndNotes) {
  const std::string text = validation_text(by_hand());
  expect_line(text, "straggler-analysis: 1 rank, 1 stage, 4 microbatches, 2 replicas, 2 cases\n");
  expect_line(text, "transfers: blocking, 2.000 ms; senders compute during 0.1 % of the time of 12 sends\n");
  expect_line(text, "  as measured         3.000 %   5.000 %   -2.000 %\n");
  expect_line(text, "  - dropped: 3 rows with a negative duration\n");
  EXPECT_LT(text.find("step 16, replica 0"), text.find("step warm, replica 1"));
  EXPECT_EQ(text.find("the model's error"), std::string::npos);
}

// In a span of 10 s, computing has no error, collectives and host gap are 0.5 s too short each, and waiting
// is 0.5 s too long.
TEST(TraceValidationText, ErrorsThatCancelAreSeen) {
  const std::string text = validation_text(by_hand());
  expect_line(text,
              "  rank 0           60.00  +0.000     10.00  +0.000        5.00  -5.000  20.00  +5.000\n");
  expect_line(text, "  rank 0             5.00  -5.000  -5.000\n");
}

TEST(TraceValidationText, AModelHasATableOfItsOwn) {
  const std::string text = validation_text(with_model());
  expect_line(text, "  model              20.000 %  20.000 %  +20.000 %\n");
  expect_line(text, "the model's error");
  expect_line(text, "rank 0           60.00  +30.000");
}

}  // namespace
}  // namespace spillway::testing
