// Traces that others measured: from one step, or from one rank of each kind, a twin predicts the other steps.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "api/twin.h"
#include "api/validate.h"
#include "input/experiment/experiment.h"
#include "json/document.h"
#include "support/measured_data.h"
#include "support/shipped.h"
#include "traces/formats/read_trace.h"

namespace spillway::testing {
namespace {

const std::string kAscend = kSource + "/workloads/published/traces/ascend-910b-pp2.csv";

// A job of this shape whose layers stand for those of a trace, which does not name its model.
std::vector<std::string> stand_in(std::uint32_t ranks, std::uint32_t microbatches) {
  return {"/pipeline/ranks=" + std::to_string(ranks),
          "/pipeline/microbatches=" + std::to_string(microbatches), "/pipeline/replicas=1",
          "/model/blocks/0/layers=" + std::to_string(4 * ranks)};
}

TwinArguments twin_arguments(const std::string& trace, const std::vector<std::string>& sets) {
  TwinArguments arguments;
  arguments.job = Source(kExperiments + "ascend-910b-pp2.json");
  arguments.measured = {trace};
  arguments.sets = sets;
  arguments.engines = {"longest-path"};
  return arguments;
}

// The mean absolute error of a job's model over the steps of a trace that `left_out` does not name.
double error_of(const Source& job, const std::string& trace, const std::string& left_out) {
  ValidateArguments arguments;
  arguments.measured = Source(trace);
  arguments.experiment = job;
  const ValidateAnswer answer = validate(arguments);
  double sum = 0;
  std::size_t count = 0;
  for (const ValidatedStep& step : std::get<Validation>(answer).cases) {
    if (step.step == left_out) continue;
    sum += std::abs(step.model.value() / step.measured - 1);
    ++count;
  }
  return sum / static_cast<double>(count);
}

double error_of_twin(const TwinArguments& arguments, const std::string& left_out = "") {
  return error_of(Source("twin.json", twin(arguments).document), arguments.measured.front(), left_out);
}

TEST(MeasuredTrace, OfOneStepPredictsTheOtherBetterThanTheRoofline) {
  TwinArguments arguments = twin_arguments(kAscend, {});
  const std::string first = read_trace(kAscend).steps.front();
  arguments.choice.steps = {first};
  const double roofline = error_of(arguments.job, kAscend, first), twin = error_of_twin(arguments, first);
  RecordProperty("roofline", std::to_string(roofline));
  RecordProperty("twin", std::to_string(twin));
  EXPECT_LT(twin, roofline / 2) << roofline;
}

TEST(MeasuredTrace, SaysWhatItLeavesToTheRoofline) {
  TwinArguments arguments = twin_arguments(kAscend, {});
  arguments.choice.ranks = {0};
  const TwinAnswer answer = twin(arguments);
  const auto& schedules = std::get<RunAnswer>(answer.result).evaluation.schedules;
  const auto shares = measured_shares(schedules.front());
  ASSERT_TRUE(shares);
  EXPECT_GT(shares->measured, 0.3);
  EXPECT_LT(shares->measured, 0.9);  // the head was not measured, nor were its layers
}

struct Raw {
  std::string path;
  std::uint32_t ranks, microbatches;
  std::vector<std::uint32_t> kinds;  // a rank of each kind
  double by_ranks;                   // the largest error

  friend std::ostream& operator<<(std::ostream& out, const Raw& raw) { return out << raw.path; }
};

class RawTrace : public ::testing::TestWithParam<Raw> {};

TEST_P(RawTrace, OfOneRankOfEachKindPredictsItsSteps) {
  const Raw& raw = GetParam();
  const auto path = measured_data(raw.path);
  if (!path) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  TwinArguments arguments = twin_arguments(*path, stand_in(raw.ranks, raw.microbatches));
  arguments.choice.ranks = raw.kinds;
  const double error = error_of_twin(arguments);
  RecordProperty("error", std::to_string(error));
  EXPECT_LT(error, raw.by_ranks);
}

INSTANTIATE_TEST_SUITE_P(Others, RawTrace, ::testing::Values(Raw{"primus/pp8", 8, 16, {0, 3, 7}, 0.1}));

TEST(MeasuredTrace, OfAnotherJobIsRefused) {
  const auto message = [](const TwinArguments& arguments) -> std::string {
    try {
      twin(arguments);
    } catch (const InputError& error) {
      return error.violations().front().expected + " | " + error.violations().front().found;
    }
    return "";
  };
  EXPECT_EQ(
      message(twin_arguments(kAscend, {"/pipeline/ranks=4"})),
      "a trace of a schedule of ascend-910b-pp2, with layers_per_rank where a system plans them | 2 stages; "
      "the schedules are 1f1b (4 stages)");
  TwinArguments images = twin_arguments(kAscend, {});
  images.job = Source(kExperiments + "small-vlm.json");
  EXPECT_NE(message(images).find("this trace does not say which images"), std::string::npos);
}

}  // namespace
}  // namespace spillway::testing
