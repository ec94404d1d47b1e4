// Replays of production traces. An independently written replay gives the spans within 0.02 % where transfers
// block, 0.14-0.19 % where they do not, 0.07 and 0.06 % with a median transfer, and 28 % with means on AR.
#include <gtest/gtest.h>

#include "support/measured_data.h"
#include "traces/formats/trace_format_list.h"
#include "validate/validation.h"

namespace spillway::testing {
namespace {

struct PublishedJob {
  const char* name;
  double transfer_s;   // median
  double means_error;  // mean over the cases

  friend std::ostream& operator<<(std::ostream& out, const PublishedJob& job) { return out << job.name; }
};

class StragglerValidation : public ::testing::TestWithParam<PublishedJob> {
 protected:
  void SetUp() override {
    const auto path =
        measured_data(std::string("pipeline_traces/straggler_analysis/trace-") + GetParam().name + ".csv");
    if (!path) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
    const Trace trace = kStragglerCsv.read(*path);
    const MeasuredPipeline pipeline = measured_pipeline(trace);
    validation_ = validate_trace(trace, pipeline, match_schedule(pipeline));
  }

  Validation validation_;
};

TEST_P(StragglerValidation, TransfersOccupyTheirSenders) {
  EXPECT_EQ(validation_.transfers.point_to_point, PointToPoint::Blocking);
  EXPECT_LT(validation_.transfers.computing_share, 0.001);
}

TEST_P(StragglerValidation, MeasuredDurationsGiveEverySpan) {
  const ErrorSummary errors = span_errors(validation_, &ValidatedStep::replayed);
  EXPECT_LE(errors.mean_absolute, 0.0005);
  EXPECT_LE(errors.most_absolute, 0.0015);
  EXPECT_GT(span_errors(validation_, &ValidatedStep::other_mode).mean_absolute, 2 * errors.mean_absolute);
}

TEST_P(StragglerValidation, OneTransferTimePerJobIsEnough) {
  EXPECT_NEAR(validation_.typical_transfer.value(), GetParam().transfer_s, 1e-5);
  EXPECT_LE(span_errors(validation_, &ValidatedStep::constant_transfer).mean_absolute, 0.001);
}

// On AR one replica is slow, and the mean over all replicas hides it.
TEST_P(StragglerValidation, MeansAreOffByTheVariation) {
  const ErrorSummary means = span_errors(validation_, &ValidatedStep::means_only);
  EXPECT_NEAR(means.mean_absolute, GetParam().means_error, 0.005);
  EXPECT_LE(span_errors(validation_, &ValidatedStep::means_per_replica).mean_absolute, means.mean_absolute);
}

// Computing is as measured. The replay lacks only the host gaps, the trace's idle time after an input has
// come.
TEST_P(StragglerValidation, NoErrorsCancel) {
  for (const ValidatedStep& one : validation_.cases) {
    for (const RankComponents& rank : one.ranks) {
      EXPECT_NEAR(rank.measured.total().value(), one.measured.value(), 1e-9 * one.measured.value());
      EXPECT_NEAR(rank.replayed.total().value(), one.replayed.value(), 1e-9 * one.measured.value());
      EXPECT_NEAR(rank.replayed.compute.value(), rank.measured.compute.value(), 1e-4 * one.measured.value());
      EXPECT_LE(rank.measured.host_gap.value(), 0.002 * one.measured.value());
      EXPECT_EQ(rank.replayed.host_gap, Seconds());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Jobs, StragglerValidation,
                         ::testing::Values(PublishedJob{"ST", 0.00073, 0.014},
                                           PublishedJob{"AR", 0.00113, 0.278}),
                         [](const auto& job) { return job.param.name; });

}  // namespace
}  // namespace spillway::testing
