// The small tables of workloads/published/traces have the raw traces' events, name their source and give the
// stated errors.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "traces/events/trace.h"
#include "traces/formats/read_trace.h"
#include "traces/formats/trace_csv.h"
#include "validate/validation.h"

namespace spillway {
namespace {

struct Shipped {
  std::string name;
  std::string raw;  // below SPILLWAY_MEASURED_DATA
  std::vector<std::string> steps;

  friend std::ostream& operator<<(std::ostream& out, const Shipped& shipped) { return out << shipped.name; }
};

const std::vector<Shipped> kShipped = {
    {"straggler-st", "/pipeline_traces/straggler_analysis/trace-ST.csv", {"23", "514", "1010"}},
    {"straggler-ar", "/pipeline_traces/straggler_analysis/trace-AR.csv", {"811"}},
    {"megatronapp", "/pipeline_traces/megatronapp/data-1-pipeline-4-tensor-1-pp-aggregated-iter10.json", {}},
    {"ascend-910b-pp2", "/ascend_910b_pp2", {}}};

std::string path_of(const std::string& name) {
  return SPILLWAY_SOURCE_DIR "/workloads/published/traces/" + name + ".csv";
}

// Returns all lines but the one that names the source.
std::vector<std::string> lines(std::istream& text) {
  std::vector<std::string> all;
  for (std::string line; std::getline(text, line);)
    if (!line.starts_with("# source:")) all.push_back(line);
  return all;
}

class ShippedTrace : public ::testing::TestWithParam<Shipped> {};

TEST_P(ShippedTrace, IsTheRawOnes) {
  const char* data = std::getenv("SPILLWAY_MEASURED_DATA");
  if (data == nullptr) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  Trace trace = read_trace(data + GetParam().raw);
  if (!GetParam().steps.empty()) keep_steps(trace, GetParam().steps);
  std::stringstream written;
  write_trace_csv(written, trace);
  std::ifstream shipped(path_of(GetParam().name));
  EXPECT_EQ(lines(written), lines(shipped));
}

TEST_P(ShippedTrace, NamesItsSource) {
  std::ifstream shipped(path_of(GetParam().name));
  std::string first, second;
  std::getline(shipped, first);
  std::getline(shipped, second);
  EXPECT_TRUE(second.starts_with("# source: ")) << second;
}

INSTANTIATE_TEST_SUITE_P(All, ShippedTrace, ::testing::ValuesIn(kShipped), [](const auto& shipped) {
  std::string name = shipped.param.name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

Validation validated(const std::string& name) {
  const Trace trace = read_trace(path_of(name));
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  return validate_trace(trace, pipeline, match_schedule(pipeline));
}

TEST(ShippedTraces, StragglerJobsReplayInBlockingModeAndNotFromMeans) {
  for (const char* name : {"straggler-st", "straggler-ar"}) {
    const Validation v = validated(name);
    EXPECT_EQ(v.match.schedule, "1f1b") << name;
    EXPECT_EQ(v.transfers.point_to_point, PointToPoint::Blocking) << name;
    EXPECT_LT(span_errors(v, &ValidatedStep::replayed).mean_absolute, 0.0005) << name;
    EXPECT_LT(span_errors(v, &ValidatedStep::replayed).most_absolute, 0.0015) << name;
    EXPECT_LT(span_errors(v, &ValidatedStep::constant_transfer).mean_absolute, 0.001) << name;
  }
  EXPECT_NEAR(span_errors(validated("straggler-ar"), &ValidatedStep::means_only).mean_absolute, 0.28, 0.02);
}

TEST(ShippedTraces, AscendReplaysWithinThePercentThatItsHostTakes) {
  const Validation v = validated("ascend-910b-pp2");
  EXPECT_EQ(v.match.schedule, "1f1b");
  EXPECT_NEAR(v.cases.at(0).measured.value(), 0.6480, 0.0001);
  EXPECT_LT(span_errors(v, &ValidatedStep::replayed).mean_absolute, 0.015);
}

TEST(ShippedTraces, MegatronAppIsInterleaved) {
  EXPECT_EQ(validated("megatronapp").match.schedule, "1f1b,1f1b,1f1b,1f1b");
}

}  // namespace
}  // namespace spillway
