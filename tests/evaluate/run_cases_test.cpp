// Runs cases and recovers parameters on durations that make every makespan known: 1F1B with equal stages
// takes (M + P - 1) (F + B) and two transfers per stage boundary.
#include "evaluate/run_cases.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/engines.h"
#include "support/temporary_folder.h"

namespace spillway {
namespace {

using testing::kLongestPath;

constexpr Engines kBoth{};
// Returns cases with one layer per stage: forward 2 ms, backward 4 ms unless stated otherwise.
CaseFile table(const std::string& cases, const std::string& fit = "[]") {
  const std::string path = testing::folder_of_process().file("cases.json");
  std::ofstream(path) << R"({ "schema": "spillway/cases/1", "name": "t", "source": "s",
    "experiment": { "schema": "spillway/experiment/1", "name": "x",
      "pipeline": { "ranks": 2, "microbatches": 4 }, "network": { "p2p_ms": 0 },
      "model": { "blocks": [ { "name": "llm", "layers": 2,
        "profile": { "forward_ms": 2, "input_gradient_ms": 2, "weight_gradient_ms": 2,
          "activation_bytes": 1e9, "weight_gradient_activation_bytes": 0 } } ] },
      "schedules": [ { "name": "a", "schedule": "1f1b" } ] },
    "fit": )" << fit << R"(, "cases": [)"
                      << cases << "] }";
  return CaseFile(path);
}

TEST(RunCases, PredictsTimeAndMemory) {
  const CaseFile file = table(R"({ "name": "a", "set": {}, "measured_s": 0.025, "measured_memory_gb": 4 },
    { "name": "b", "set": { "/pipeline/microbatches": 9 }, "measured_s": 0.06 })");
  const std::vector<CaseResult> cases = run_cases(file, kBoth);
  EXPECT_NEAR(cases[0].step.value(), 0.030, 1e-12);
  EXPECT_NEAR(cases[0].error().value(), 0.2, 1e-9);
  EXPECT_EQ(cases[0].memory, Bytes(2e9));  // two microbatches of one layer on the first rank
  EXPECT_NEAR(cases[0].memory_error().value(), -0.5, 1e-12);
  EXPECT_NEAR(cases[1].error().value(), 0.0, 1e-9);
  EXPECT_FALSE(cases[1].memory_error().has_value());
}

CaseResult off_by(double error, bool fitted) {
  return {
      {.name = "x", .step = Seconds(1), .blind = {}, .memory = {}, .fitted = fitted}, Seconds(1 + error), {}};
}

TEST(ErrorSummary, KeepsFittedCasesApart) {
  const std::vector<CaseResult> cases = {off_by(0.1, false), off_by(-0.3, false), off_by(0.05, true)};
  const auto others = time_errors(cases, false), fitted = time_errors(cases, true);
  EXPECT_EQ(others->count, 2u);
  EXPECT_NEAR(others->mean_absolute, 0.2, 1e-12);
  EXPECT_NEAR(others->most_absolute, 0.3, 1e-12);
  EXPECT_NEAR(others->bias, -0.1, 1e-12);
  EXPECT_NEAR(fitted->mean_absolute, 0.05, 1e-12);
  EXPECT_FALSE(memory_errors(cases, true).has_value());
}

// A case without a measurement is predicted but counts in no error. A prediction made before the measurement
// has an error of its own.
TEST(RunCases, PredictsWhatIsNotMeasured) {
  const CaseFile file = table(R"({ "name": "a", "set": {} }, { "name": "b", "set": {}, "predicted_s": 0.02 },
    { "name": "c", "set": {}, "predicted_s": 0.02, "measured_s": 0.025 })");
  const std::vector<CaseResult> cases = run_cases(file, kLongestPath);
  EXPECT_GT(cases[0].step, Seconds());
  EXPECT_FALSE(cases[0].error().has_value());
  EXPECT_FALSE(cases[1].error().has_value());
  EXPECT_FALSE(cases[1].blind_error().has_value());
  EXPECT_NEAR(cases[2].error().value(), 0.2, 1e-9);
  EXPECT_NEAR(cases[2].blind_error().value(), -0.2, 1e-9);
  EXPECT_EQ(time_errors(cases, false)->count, 1u);
  EXPECT_NEAR(blind_errors(cases)->bias, -0.2, 1e-9);
}

// Returns one case of GPT-2 on `tensor` A100 GPUs; `more` holds further members of the experiment.
CaseFile priced(std::uint32_t tensor, const std::string& more) {
  const std::string source = SPILLWAY_SOURCE_DIR;
  const std::string path = testing::folder_of_process().file("priced.json");
  std::ofstream(path) << R"({ "schema": "spillway/cases/1", "name": "t", "source": "s",
    "experiment": { "schema": "spillway/experiment/1", "name": "x",
      "pipeline": { "ranks": 1, "microbatches": 4 }, "parallel": { "tensor": )"
                      << tensor << R"( },
      "platform": ")" << source
                      << R"(/platforms/hgx-a100.json",
      "model": { "blocks": [ { "name": "llm", "architecture": ")"
                      << source << R"(/workloads/models/gpt-2/config.json" } ] },
      "workload": { "sequence_tokens": 1024, "sequences_per_microbatch": 1 },
      )" << more << R"("schedules": [ { "name": "a", "schedule": "1f1b" } ] },
    "cases": [ { "name": "a", "set": {}, "measured_s": 1 } ] })";
  return CaseFile(path);
}

std::string launched_in(double us) {
  return R"("framework": ")" + std::string(SPILLWAY_SOURCE_DIR) +
         R"(/platforms/frameworks/torchtitan-eager.json", "framework_set": { "/launch_us": { "value": )" +
         std::to_string(us) + R"(, "kind": "assumed", "source": "this test" } }, )";
}

CaseResult with_causes(const CaseFile& file) {
  return run_cases(file, kLongestPath, {}, true).front();
}

TEST(RunCases, CausesAreWhatAStepLosesWithoutThem) {
  const CaseResult slow = with_causes(priced(1, launched_in(100))),
                   quick = with_causes(priced(1, launched_in(0)));
  EXPECT_LT(quick.step, slow.step);
  EXPECT_EQ(slow.causes->without_hosts, quick.step);
  EXPECT_EQ(quick.causes->without_hosts, quick.step);
  EXPECT_EQ(slow.causes->without_communication, slow.step);
  const CaseResult split = with_causes(priced(2, "")),
                   alone = with_causes(priced(2, R"("what_if": { "inner_collective_time": 0 }, )"));
  EXPECT_LT(alone.step, split.step);
  EXPECT_NEAR(split.causes->without_communication / alone.step, 1, 1e-9);
  EXPECT_FALSE(run_cases(priced(1, ""), kLongestPath).front().causes);
  EXPECT_FALSE(with_causes(table(R"({ "name": "a", "set": {}, "measured_s": 1 })")).causes);
}

CaseResult off_by(double error, double share) {
  CaseResult one = off_by(error, false);
  one.causes = {one.step * (1 - share), one.step};
  return one;
}

// Ordered by their share of communication, the errors are -20 and -10 %, one in neither half, +20 and +30 %.
TEST(ErrorsByCause, TellTheHalvesApart) {
  std::vector<CaseResult> cases = {off_by(0.3, 0.5), off_by(-0.1, 0.1), off_by(0.9, 0.3), off_by(0.2, 0.4),
                                   off_by(-0.2, 0.0)};
  cases.push_back(off_by(5, true));
  const CauseErrors errors = errors_by(&StepCauses::without_communication, cases).value();
  EXPECT_NEAR(errors.share, 0.26, 1e-12);
  EXPECT_NEAR(errors.least_share, 0.05, 1e-12);
  EXPECT_NEAR(errors.least_bias, -0.15, 1e-12);
  EXPECT_NEAR(errors.greatest_share, 0.45, 1e-12);
  EXPECT_NEAR(errors.greatest_bias, 0.25, 1e-12);
  EXPECT_FALSE(errors_by(&StepCauses::without_hosts, {cases.front()}));
}

TEST(RunCases, NothingIsFittedToWhatIsNotMeasured) {
  try {
    table(R"({ "name": "a", "set": {}, "fitted": true })");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    ASSERT_EQ(error.violations().size(), 1u);
    EXPECT_EQ(error.violations()[0].pointer, "/cases/0/fitted");
  }
}

// (M + P - 1)(F + B) = 5 x (f + 4 ms), so 35 ms means f = 3 ms. The case that is not fitted has no
// influence.
TEST(Calibrate, FindsTheOneValueThatFits) {
  const CaseFile file =
      table(R"({ "name": "a", "set": {}, "measured_s": 0.035, "fitted": true },
    { "name": "b", "set": {}, "measured_s": 9 })",
            R"([{ "pointer": "/model/blocks/0/profile/forward_ms", "from": 0.5, "to": 8 }])");
  const CaseFits fits = fit_cases(file, kLongestPath);
  ASSERT_EQ(fits.parameters.size(), 1u);
  EXPECT_NEAR(fits.parameters[0].value, 3, 1e-2);
  ASSERT_EQ(fits.cases.size(), 1u);
  EXPECT_NEAR(fits.cases[0].error().value(), 0, 1e-2);
}

// Without transfers two ranks take 5 (f + 4). Each of the 2 (P - 1) hops on the critical path adds p.
TEST(Calibrate, TellsTwoParametersApart) {
  const CaseFile file = table(R"({ "name": "a", "set": {}, "measured_s": 0.037, "fitted": true },
    { "name": "b", "set": { "/pipeline/ranks": 1, "/pipeline/microbatches": 5 }, "measured_s": 0.07, "fitted": true })",
                              R"([{ "pointer": "/model/blocks/0/profile/forward_ms", "from": 0.5, "to": 8 },
                                  { "pointer": "/network/p2p_ms", "from": 0, "to": 4 }])");
  const CaseFits fits = fit_cases(file, kLongestPath);
  EXPECT_NEAR(fits.parameters[0].value, 3, 3e-2);
  for (const CaseResult& one : fits.cases) EXPECT_NEAR(one.error().value(), 0, 1e-2);
}

TEST(Calibrate, NeedsParametersAndCases) {
  const CaseFile file = table(R"({ "name": "a", "set": {}, "measured_s": 1 })");
  try {
    fit_cases(file, kLongestPath);
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.violations().size(), 2u);
    EXPECT_EQ(error.violations()[0].pointer, "/fit");
    EXPECT_EQ(error.violations()[1].pointer, "/cases");
  }
}

}  // namespace
}  // namespace spillway
