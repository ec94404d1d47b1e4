// Real runs below the folder that SPILLWAY_MEASURED_DATA names: ByteDance-Seed/StragglerAnalysis at 8efcd7f3
// and OpenSQZ/MegatronApp at 99c64dad.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "support/measured_data.h"
#include "traces/pipeline/pipeline.h"
#include "traces/straggler_rows.h"

namespace spillway::testing {
namespace {

class MeasuredRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = measured_data("pipeline_traces/");
    if (!folder) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
    folder_ = *folder;
  }

  std::string folder_;
};

void expect_straggler_run(const MeasuredPipeline& pipeline, std::size_t steps, std::uint32_t replicas,
                          std::uint32_t microbatches) {
  EXPECT_EQ(pipeline.ranks, 4U);
  EXPECT_EQ(pipeline.stages, 4U);
  EXPECT_EQ(pipeline.replicas, replicas);
  EXPECT_EQ(pipeline.microbatches, microbatches);
  EXPECT_EQ(pipeline.steps.size(), steps * replicas);
  for (Seconds offset : pipeline.clock) EXPECT_EQ(offset, Seconds());
  EXPECT_EQ(match_schedule(pipeline).schedule, "1f1b");
  ASSERT_EQ(pipeline.notes.size(), 1U) << to_string(pipeline.notes[1]);
  EXPECT_EQ(pipeline.notes[0].kind, NoteKind::Guessed);
}

// Returns the median over every transfer of the job.
Seconds median_transfer(const MeasuredPipeline& pipeline) {
  std::vector<Seconds> times;
  for (const MeasuredStep& step : pipeline.steps)
    for (const auto* all : {&step.activations, &step.gradients})
      for (const auto& seam : *all)
        for (const MeasuredTransfer& transfer : seam) times.push_back(*transfer.time());
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

TEST_F(MeasuredRuns, StragglerSt) {
  const MeasuredPipeline pipeline =
      measured_pipeline(straggler_rows(folder_ + "straggler_analysis/trace-ST.csv"));
  expect_straggler_run(pipeline, 32, 2, 4);
  EXPECT_NEAR(median_transfer(pipeline).value(), 0.73e-3, 0.005e-3);
}

TEST_F(MeasuredRuns, StragglerAr) {
  const MeasuredPipeline pipeline =
      measured_pipeline(straggler_rows(folder_ + "straggler_analysis/trace-AR.csv"));
  expect_straggler_run(pipeline, 15, 4, 32);
  EXPECT_NEAR(median_transfer(pipeline).value(), 1.13e-3, 0.005e-3);
}

// The importer corrects clocks that are 5 and 50 ms off, as far as the fastest transfers allow (0.4 ms each
// way on ST).
TEST_F(MeasuredRuns, SkewedStragglerClocksComeBack) {
  Trace trace = straggler_rows(folder_ + "straggler_analysis/trace-ST.csv");
  const MeasuredPipeline truth = measured_pipeline(trace);
  const std::vector<Seconds> skew = {milliseconds(0), milliseconds(5), milliseconds(-50), milliseconds(-5)};
  for (TraceEvent& event : trace.events) event.start += skew[event.rank];
  normalise(trace);
  const MeasuredPipeline found = measured_pipeline(trace);
  for (std::size_t i = 0; i < found.clock.size(); ++i)
    EXPECT_NEAR(found.clock[i].value(), -skew[i % 4].value(), 0.1e-3);
  for (std::size_t i = 0; i < truth.steps.size(); ++i)
    EXPECT_NEAR(found.steps[i].span().length().value(), truth.steps[i].span().length().value(), 1e-9);
  EXPECT_EQ(match_schedule(found).schedule, "1f1b");
}

// Pairs B and E events per rank. The E events have the numbers, and chunk c of rank r is stage 4c + r.
Trace megatron_events(const std::string& path) {
  Trace trace;
  trace.format = "megatron";
  trace.files = {path};
  trace.steps = {"10"};
  trace.names = {""};
  std::map<std::string, double> begun;
  std::ifstream file(path);
  for (const auto& event : nlohmann::json::parse(file)) {
    const std::string key = event["name"].get<std::string>() + event["pid"].dump();
    const double at = event["ts"].get<double>() * 1e-6;
    if (event["ph"] == "B") begun[key] = at;
    if (event["ph"] != "E") continue;
    const auto rank = event["pid"].get<std::uint16_t>();
    const auto stage =
        static_cast<std::uint16_t>(event["args"]["model_chunk"].get<std::uint16_t>() * 4 + rank);
    trace.events.push_back({Seconds(begun[key]), Seconds(at - begun[key]), 0,
                            event["args"]["microbatch"].get<std::uint32_t>(), 0, 0, rank, stage, 0,
                            event["name"] == "forward" ? TraceKind::Forward : TraceKind::Backward});
  }
  normalise(trace);
  return trace;
}

TEST_F(MeasuredRuns, MegatronAppIsInterleavedInGroupsOfFour) {
  const MeasuredPipeline pipeline = measured_pipeline(
      megatron_events(folder_ + "megatronapp/data-1-pipeline-4-tensor-1-pp-aggregated-iter10.json"));
  EXPECT_EQ(pipeline.ranks, 4U);
  EXPECT_EQ(pipeline.stages, 16U);
  EXPECT_EQ(pipeline.microbatches, 8U);
  const ScheduleMatch match = match_schedule(pipeline);
  EXPECT_EQ(match.schedule, "1f1b,1f1b,1f1b,1f1b");
  EXPECT_EQ(match.microbatch_group, 0U);
  EXPECT_EQ(pipeline.clock, std::vector<Seconds>(4));
  ASSERT_EQ(pipeline.notes.size(), 1U);
  EXPECT_EQ(to_string(pipeline.notes[0]),
            "missing: 240 transfers between ranks of which neither side is there");
}

}  // namespace
}  // namespace spillway::testing
