// A pipeline read straight from a straggler-analysis CSV, by sequence numbers alone: one stage per rank,
// 1F1B, no clock alignment. For tests of what comes after the importers.
#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "measured/pipeline.h"
#include "schedule/skeleton.h"

namespace spillway::testing {

struct StragglerRun {
  Trace trace;
  MeasuredPipeline pipeline;
};

inline std::uint32_t number(const std::string& text) {
  return static_cast<std::uint32_t>(std::stoul(text));
}

// Of pipeline_traces/straggler_analysis (ByteDance-Seed/StragglerAnalysis at 8efcd7f3), "ST" or "AR"; none
// where SPILLWAY_MEASURED_DATA is unset.
inline std::optional<StragglerRun> straggler_run(const std::string& job, std::uint32_t microbatches) {
  const char* data = std::getenv("SPILLWAY_MEASURED_DATA");
  if (data == nullptr) return std::nullopt;
  std::ifstream file(std::string(data) + "/pipeline_traces/straggler_analysis/trace-" + job + ".csv");
  constexpr std::uint32_t kRanks = 4;
  std::map<std::pair<int, std::uint32_t>, MeasuredStep> steps;
  std::map<int, std::uint32_t> names;
  std::uint32_t replicas = 0;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream text(line);
    std::vector<std::string> field;
    for (std::string one; std::getline(text, one, ',');) field.push_back(one);
    const auto replica = number(field[0]), stage = number(field[1]), m = number(field[7]);
    const int step = std::stoi(field[3]);
    names.emplace(step, 0);
    replicas = std::max(replicas, replica + 1);
    MeasuredStep& own = steps[{step, replica}];
    if (own.passes.empty()) {
      own.replica = ReplicaId(replica);
      own.passes.resize(kRanks, std::vector<MeasuredPasses>(microbatches));
      own.activations.resize(kRanks, std::vector<MeasuredTransfer>(microbatches));
      own.gradients = own.activations;
      own.collectives.resize(kRanks);
    }
    const Seconds start(std::stod(field[5]));
    const Interval interval{start, start + Seconds(std::stod(field[6]))};
    const std::string& type = field[4];
    if (type == "forward-compute") own.passes[stage][m].forward = interval;
    if (type == "backward-compute") own.passes[stage][m].backward = interval;
    if (type == "forward-send") own.activations[stage][m].sent = interval;
    if (type == "forward-recv") own.activations[stage - 1][m].received = interval;
    if (type == "backward-send") own.gradients[stage - 1][m].sent = interval;
    if (type == "backward-recv") own.gradients[stage][m].received = interval;
  }
  StragglerRun run;
  run.trace.format = "straggler-analysis";
  for (auto& [name, index] : names) {
    index = static_cast<std::uint32_t>(run.trace.steps.size());
    run.trace.steps.push_back(std::to_string(name));
  }
  const auto orders = rank_orders(SkeletonKind::OneFOneB, {kRanks, microbatches, 1, kRanks});
  run.pipeline = {kRanks, kRanks, microbatches, replicas, {{}, orders}, {}, {}, {}};
  for (std::uint32_t rank = 0; rank < kRanks; ++rank)
    run.pipeline.placement.stage_rank.push_back(RankId(rank));
  for (auto& [key, step] : steps) {
    step.step = names.at(key.first);
    step.order = orders;
    run.pipeline.steps.push_back(std::move(step));
  }
  return run;
}

}  // namespace spillway::testing
