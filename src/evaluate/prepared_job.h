// An experiment made ready to be run: what the passes of an evaluation ask again and again, made once.
// Private to src/evaluate.
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
  DrawCosts costs;  // of the experiment with replicas that run alike folded and its parameters fitted
  std::vector<WorkloadUse> workloads;
  std::vector<FittedParameter> fitted;
  std::vector<ScheduleSpec> references;  // the balanced pipelines that it lacks, where they are asked for
  std::vector<StartedEngine> engines;
  std::uint32_t draws;           // that differ; the first stands for all others
  std::uint32_t equal_replicas;  // each simulated replica stands for this many
  std::optional<MemoryLimit> limit;
  bool states_memory;

  // The folded experiment, its parameters fitted.
  const Experiment& experiment() const { return costs.experiment(); }
  // Is the schedule's order streamed, not held?
  bool streams(const ScheduleSpec& schedule) const;
};

// Views `experiment`, which outlives the result. Throws InputError where draws lose most of their data
// (held_to_losses), Infeasible where a fit reaches nothing, and as held_whole() does.
PreparedJob prepare(const Experiment& experiment, const Engines& engines);

// The context in which one schedule is run.
struct RunContext {
  const PreparedJob& job;
  OrderCache& orders;
  std::function<void()> on_draw;  // called after each draw that is run
};

// Derives one schedule, prices it on every draw and times it by the engines. Its warnings are those of its
// memory.
ScheduleResult run_schedule(const RunContext& with, const ScheduleSpec& schedule);

}  // namespace spillway
