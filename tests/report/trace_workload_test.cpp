// A measured job run on its own variation takes the measured spans, and its closed form if nothing varies.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "support/engines.h"
#include "support/hand_made_pipeline.h"
#include "traces/pipeline/trace_experiment.h"

namespace spillway {
namespace {

using testing::hand_made_pipeline;
using testing::kLongestPath;

Evaluation run(const MeasuredJob& job, const std::vector<Setting>& settings) {
  return evaluate(parse_experiment(trace_experiment(job), job.name, settings), kLongestPath);
}

std::vector<double> makespans(const ScheduleResult& schedule) {
  std::vector<double> all;
  for (const DrawResult& draw : schedule.draws) all.push_back(draw.step.makespan.value());
  return all;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// 1F1B takes (M + P - 1) (F + B).
TEST(TraceWorkload, AJobWithoutVariationIsItsClosedForm) {
  const auto forward = [](auto...) { return 1.0; };
  const auto backward = [](auto...) { return 2.0; };
  const MeasuredJob job{"even",
                        hand_made_pipeline(4, 8, 3, forward, backward, 2),
                        {"1f1b", 0, "", {}},
                        PointToPoint::Overlapped,
                        {}};
  for (double makespan : makespans(run(job, {}).schedules[0])) EXPECT_NEAR(makespan, (8 + 3) * 3, 1e-9);
  for (double makespan : makespans(run(job, {{"/pipeline/microbatches", "16"}}).schedules[0]))
    EXPECT_NEAR(makespan, (16 + 3) * 3, 1e-9);
  const std::vector<Setting> transposed = {{"/schedules/-", R"({"name": "t", "schedule": "transpose,1f1b",
                                            "cut": [8]})"},
                                           {"/model/blocks/0/role", "encoder"}};
  const ScheduleResult moved = run(job, transposed).schedules[1];
  for (double makespan : makespans(moved)) EXPECT_NEAR(makespan, makespans(moved)[0], 1e-9);
}

struct Measured {
  MeasuredJob job;
  std::vector<double> spans;    // of each step and replica
  std::vector<double> slowest;  // of each step, its slowest replica's
};

// The columns of ByteDance-Seed/StragglerAnalysis that passes and transfers need.
struct Row {
  std::uint32_t replica, stage, step, microbatch;
  std::string kind;
  Interval at;
};

std::vector<Row> rows_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<Row> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::array<std::string, 11> cell;
    std::istringstream text(line);
    for (std::string& one : cell) std::getline(text, one, ',');
    if (cell[4].find("forward-") != 0 && cell[4].find("backward-") != 0) continue;
    const auto number = [&](std::size_t i) { return static_cast<std::uint32_t>(std::stoul(cell[i])); };
    const Seconds start(std::stod(cell[5]));
    rows.push_back(
        {number(0), number(1), number(3), number(7), cell[4], {start, start + Seconds(std::stod(cell[6]))}});
  }
  return rows;
}

void add(const Row& row, MeasuredStep& step) {
  const std::uint32_t s = row.stage, m = row.microbatch;
  if (row.kind == "forward-compute") step.passes[s][m].forward = row.at;
  if (row.kind == "backward-compute") step.passes[s][m].backward = row.at;
  if (row.kind == "forward-send") step.activations[s][m].sent = row.at;
  if (row.kind == "forward-recv") step.activations[s - 1][m].received = row.at;
  if (row.kind == "backward-send") step.gradients[s - 1][m].sent = row.at;
  if (row.kind == "backward-recv") step.gradients[s][m].received = row.at;
}

double span_of(const MeasuredStep& step) {
  Seconds start = step.passes[0][0].forward.start, end = start;
  for (const auto& stage : step.passes) {
    for (const MeasuredPasses& passes : stage) {
      start = std::min(start, passes.forward.start);
      end = std::max(end, passes.backward.end);
    }
  }
  return (end - start).value();
}

Measured straggler(const std::string& folder, const std::string& name, std::uint32_t microbatches) {
  MeasuredPipeline pipeline{4, 4, microbatches, 1, {}, {}, {}, {}};
  for (std::uint32_t rank = 0; rank < 4; ++rank) pipeline.placement.stage_rank.emplace_back(rank);
  std::map<std::pair<std::uint32_t, std::uint32_t>, MeasuredStep> steps;
  for (const Row& row : rows_of(folder + "/pipeline_traces/straggler_analysis/trace-" + name + ".csv")) {
    MeasuredStep& step = steps[{row.step, row.replica}];
    if (step.passes.empty()) {
      step.step = row.step;
      step.passes.assign(4, std::vector<MeasuredPasses>(microbatches));
      step.activations.assign(4, std::vector<MeasuredTransfer>(microbatches));
      step.gradients = step.activations;
    }
    add(row, step);
  }
  std::map<std::uint32_t, double> slowest;
  std::vector<double> spans;
  for (const auto& [key, step] : steps) {
    spans.push_back(span_of(step));
    slowest[key.first] = std::max(slowest[key.first], spans.back());
    pipeline.replicas = std::max(pipeline.replicas, key.second + 1);
    pipeline.steps.push_back(step);
  }
  std::vector<double> of_steps;
  for (const auto& [step, span] : slowest) of_steps.push_back(span);
  return {{name, std::move(pipeline), {"1f1b", 0, "", {}}, PointToPoint::Blocking, {}}, spans, of_steps};
}

class StragglerWorkload : public ::testing::TestWithParam<std::pair<std::string, std::uint32_t>> {};

double distance_to_nearest(double span, const std::vector<double>& measured) {
  double nearest = 1;
  for (double other : measured) nearest = std::min(nearest, std::abs(span / other - 1));
  return nearest;
}

// Every draw is a measured step, of one replica or of all. Its span is a measured one, except that all
// transfers take the median.
TEST_P(StragglerWorkload, SpansAreThoseMeasured) {
  const char* folder = std::getenv("SPILLWAY_MEASURED_DATA");
  if (folder == nullptr) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  const auto [name, microbatches] = GetParam();
  const Measured measured = straggler(folder, name, microbatches);
  for (const bool all : {false, true}) {
    const std::vector<double>& spans = all ? measured.slowest : measured.spans;
    const std::string replicas = std::to_string(all ? measured.job.pipeline.replicas : 1);
    const auto drawn =
        makespans(run(measured.job, {{"/draws", "400"}, {"/pipeline/replicas", replicas}}).schedules[0]);
    double most = 0;
    for (double span : drawn) most = std::max(most, distance_to_nearest(span, spans));
    EXPECT_LT(most, 0.002) << replicas;
    const double error = mean(drawn) / mean(spans) - 1;
    RecordProperty("error_of_mean_" + replicas, std::to_string(error));
    RecordProperty("most_" + replicas, std::to_string(most));
    EXPECT_NEAR(error, 0, 0.03) << replicas;
  }
}

INSTANTIATE_TEST_SUITE_P(ByteDance, StragglerWorkload,
                         ::testing::Values(std::pair{"ST", 4u}, std::pair{"AR", 32u}),
                         [](const auto& job) { return job.param.first; });

}  // namespace
}  // namespace spillway
