// One point of a sweep: an experiment under all its draws, kept as figures of each draw and nothing else.
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
#include "cost/evidence.h"
#include "cost/step_account.h"
#include "draws/costs.h"
#include "experiment/experiment.h"
#include "optimize/prepared_order.h"
#include "timing/step_figures.h"
#include "workload/sample_cache.h"

namespace spillway {

// What points of a sweep share: orders by structure, draws by workload. For several threads.
struct Caches {
  OrderCache orders;
  SampleCache samples;
};

// Columns of its StepFigures by the longest path, by draw, and what else a table needs.
struct ScheduleOutcome {
  std::string name;
  std::vector<Seconds> makespans = {};
  std::array<std::vector<double>, kKeptFigures.size()> figures = {};  // of each of kKeptFigures, by draw
  std::vector<StepSpill> spills = {};  // empty where no transposed region feeds a pipelined one
  std::vector<Seconds> replayed = {};  // makespans by SimGrid; empty where it did not run
  // The most that a device holds in any draw; nothing where the experiment does not say enough, or where the
  // step is streamed.
  std::optional<Bytes> peak_memory = {};
  // The weakest that carries the operators' time in the first draw; nothing where durations are given, or
  // where the step is streamed.
  std::optional<Evidence> evidence = {};
  std::string unranked = {};  // why its figures are shown and not ranked; empty where they are

  friend bool operator==(const ScheduleOutcome&, const ScheduleOutcome&) = default;
};

// With the columns of these draws; either all of them spill or none.
ScheduleOutcome outcome_of(std::string name, std::span<const StepFigures> draws);

struct PointOutcome {
  std::string refusal;  // why the point cannot be; empty where it can
  std::size_t baseline = 0;
  std::vector<ScheduleOutcome> schedules = {};  // in the experiment's order; none of a refused point
  // By draw, of the same devices; none where durations are given.
  std::vector<StepAccount> accounts = {};
  std::optional<Bytes> memory_limit = {};  // what schedules are judged by: memory_limit.h
  std::vector<Warning> warnings = {};      // of every schedule; evaluate_point() adds none (warn/warnings.h)
  std::uint64_t microbatches = 0;          // of all replicas; 0 of a refused point

  friend bool operator==(const PointOutcome&, const PointOutcome&) = default;
};

// The longest path of every schedule on every draw: what evaluate() says, to the last bit, from batches of
// lanes. Throws InputError or Infeasible where evaluate() does.
PointOutcome evaluate_point(const Experiment& experiment, Caches& caches);

// The same for all schedules of `costs`, an experiment that is folded where links are its own (fold.h): what
// was priced for other schedules of the job is not priced again.
PointOutcome evaluate_point(DrawCosts& costs, OrderCache& orders);

// The experiment's outcome with SimGrid's makespans beside. One process holds one SimGrid: call it once in a
// process.
PointOutcome with_replays(PointOutcome outcome, const Experiment& experiment, Caches& caches);

// An outcome as bytes, for stores, pipes and messages: the same outcome, the same bytes, on every machine
// (little-endian IEEE 754 doubles). Contract of outcome_from: bytes_of made it; throws InputError for others.
std::string bytes_of(const PointOutcome& outcome);
PointOutcome outcome_from(std::string_view bytes);

}  // namespace spillway
