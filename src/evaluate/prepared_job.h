// An experiment that is ready to run, with values that several passes of an evaluation need. Private to
// src/evaluate.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "draws/costs.h"
#include "evaluate/evaluation.h"
#include "evaluate/fit.h"
#include "optimize/prepared_order.h"

namespace spillway {

struct PreparedJob {
  const Experiment& read;  // as it was read
  Engines asked;
  DrawCosts costs;  // of the experiment with equal replicas folded and its parameters fitted
  std::vector<WorkloadUse> workloads;
  std::vector<FittedParameter> fitted;
  std::vector<ScheduleSpec> references;  // the balanced pipelines that it lacks, if they are asked for
  std::vector<StartedEngine> engines;
  std::uint32_t draws;           // draws that differ; the first stands for all others
  std::uint32_t equal_replicas;  // replicas that each simulated replica stands for
  std::optional<MemoryLimit> limit;
  bool states_memory;

  // Returns the folded experiment with its parameters fitted.
  const Experiment& experiment() const { return costs.experiment(); }
  // Returns true if the schedule's order is streamed instead of held.
  bool streams(const ScheduleSpec& schedule) const;
};

// Views `experiment`, which outlives the result. Throws InputError if draws lose most of their data
// (held_to_losses), Infeasible if a fit cannot reach its target, and as held_whole() does.
PreparedJob prepare(const Experiment& experiment, const Engines& engines);

// The context in which one schedule is run.
struct RunContext {
  const PreparedJob& job;
  OrderCache& orders;
  std::function<void()> on_draw;  // called after each draw that is run
};

// Derives one schedule, prices it on every draw and times it by the engines. The result has no warnings yet.
ScheduleResult run_schedule(const RunContext& with, const ScheduleSpec& schedule);

}  // namespace spillway
