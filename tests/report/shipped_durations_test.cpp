// The shipped percentiles of the straggler traces' passes are those of the raw traces.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "report/inputs/trace_text.h"
#include "traces/formats/read_trace.h"

namespace spillway {
namespace {

class ShippedDurations : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedDurations, AreTheRawTraces) {
  const char* data = std::getenv("SPILLWAY_MEASURED_DATA");
  if (data == nullptr) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  const std::string raw = "trace-" + GetParam() + ".csv";
  Trace trace = read_trace(std::string(data) + "/pipeline_traces/straggler_analysis/" + raw);
  trace.files = {raw};
  const std::string name = GetParam() == "ST" ? "st" : "ar";
  std::ifstream shipped(SPILLWAY_SOURCE_DIR "/workloads/published/traces/straggler-" + name +
                        "-durations.json");
  EXPECT_EQ(trace_json(trace), std::string(std::istreambuf_iterator<char>(shipped), {}));
}

INSTANTIATE_TEST_SUITE_P(ByteDance, ShippedDurations, ::testing::Values("ST", "AR"),
                         [](const auto& job) { return job.param; });

}  // namespace
}  // namespace spillway
