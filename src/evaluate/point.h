// One point of a sweep: an experiment under all its draws, with figures of each draw only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/warning.h"
#include "cost/operators/evidence.h"
#include "cost/step_account.h"
#include "draws/costs.h"
#include "experiment/experiment.h"
#include "optimize/plan.h"
#include "timing/step_figures.h"
#include "workload/sample_cache.h"

namespace spillway {

// Data that the points of a sweep share: orders by structure, draws by workload. Thread-safe.
struct Caches {
  OrderCache orders;
  SampleCache samples;
};

// The columns of its StepFigures by the longest path, by draw, and other values of tables.
struct ScheduleOutcome {
  std::string name;
  std::vector<Seconds> makespans = {};
  std::array<std::vector<double>, kKeptFigures.size()> figures = {};  // of each of kKeptFigures, by draw
  std::vector<StepSpill> spills = {};  // empty if no transposed region feeds a pipelined one
  std::vector<Seconds> replayed = {};  // makespans by SimGrid; empty if it did not run
  // The most that a device holds in any draw. Empty if the experiment does not state enough, or if the step
  // is streamed.
  std::optional<Bytes> peak_memory = {};
  // The weakest evidence for the time of an operator in the first draw. Empty if durations are given, or if
  // the step is streamed.
  std::optional<Evidence> evidence = {};
  std::string unranked = {};  // why its figures are shown but not ranked; empty if they are ranked

  friend bool operator==(const ScheduleOutcome&, const ScheduleOutcome&) = default;
};

// Returns an outcome with the columns of these draws. Contract: all of them spill, or none.
ScheduleOutcome outcome_of(std::string name, std::span<const StepFigures> draws);

struct PointOutcome {
  std::string refusal;  // why the point cannot run; empty if it can
  std::size_t baseline = 0;
  std::vector<ScheduleOutcome> schedules = {};  // in the experiment's order; empty for a refused point
  // By draw, of the same devices. Empty if durations are given.
  std::vector<StepAccount> accounts = {};
  std::optional<Bytes> memory_limit = {};  // the limit of schedules: memory_limit.h
  std::vector<Warning> warnings = {};      // of all schedules; evaluate_point() adds none (warn/warnings.h)
  std::uint64_t microbatches = 0;          // of all replicas; 0 for a refused point

  friend bool operator==(const PointOutcome&, const PointOutcome&) = default;
};

// Returns the longest path of every schedule on every draw, from batches of lanes. It equals that of
// evaluate() to the last bit. Throws InputError or Infeasible if evaluate() does.
PointOutcome evaluate_point(const Experiment& experiment, Caches& caches);

// How a point is evaluated.
struct PointWork {
  const PlannedSchedule* planned = nullptr;  // planned_for_all_draws() if it is known (memory_limit.h)
  bool evidence = true;                      // false: ScheduleOutcome::evidence stays empty
};

// Does the same for all schedules of `costs`, without pricing anything again that other schedules of the job
// needed. Contract: the experiment is folded with Links::Own (fold.h).
PointOutcome evaluate_point(DrawCosts& costs, OrderCache& orders, const PointWork& work = {});

// Returns ScheduleOutcome::evidence of the experiment's first schedule alone.
std::optional<Evidence> weakest_evidence(const Experiment& experiment, OrderCache& orders);

// Returns the experiment's outcome with SimGrid's makespans. Contract: one call in a process, which can hold
// only one SimGrid.
PointOutcome with_replays(PointOutcome outcome, const Experiment& experiment, Caches& caches);

// Converts an outcome to bytes for stores, pipes and messages. Equal outcomes give equal bytes on every
// machine (little-endian IEEE 754 doubles). outcome_from() reads what bytes_of() wrote, and throws InputError
// for other bytes.
std::string bytes_of(const PointOutcome& outcome);
PointOutcome outcome_from(std::string_view bytes);

}  // namespace spillway
