// One experiment evaluated: every schedule derived, priced on the same draws, run through the engines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/warning.h"
#include "cost/evidence.h"
#include "cost/step_account.h"
#include "derive/derive.h"
#include "evaluate/job.h"
#include "evaluate/workload_use.h"
#include "experiment/experiment.h"
#include "memory/peak_memory.h"
#include "platform/inputs.h"
#include "policy/prepared_order.h"
#include "policy/reordered_costs.h"
#include "timing/attribution.h"
#include "timing/figures.h"
#include "timing/step_figures.h"
#include "timing/timeline.h"

namespace spillway {

// 1 also where neither takes time.
inline double speedup(Seconds before, Seconds now) {
  return before == now ? 1 : before / now;
}

// Which engines to run; unless told otherwise the longest path and SimGrid.
struct Engines {
  bool longest_path = true;
  bool max_plus = false;
  bool simgrid = true;
  bool references = false;  // also run the balanced pipelines that stand beside what is transposed
};

// One schedule under one draw.
struct DrawResult {
  std::optional<Seconds> longest_path;  // makespan by engine
  std::optional<Seconds> max_plus;
  std::optional<Seconds> simgrid;
  Seconds makespan;  // SimGrid's where it ran, else the longest path's
  double speedup;    // the baseline's makespan over this one
  double bubble_fraction;
  double bubble_rate;  // inside the longest span of a rank
  std::optional<StepSpill>
      spill;  // by the longest path; none where no transposed region feeds a pipelined one
  std::vector<RankFigures> ranks;
  std::vector<PeakMemory> memory;  // of each of `ranks`; empty where the experiment does not say enough
  std::optional<StepAccount> account = {};  // none where durations are given
};

// Transposed work on the critical path of the first draw: what the exposed encoder time is made of.
struct EncoderOnCriticalPath {
  RankId rank;
  Seconds forward;
  Seconds backward;

  Seconds time() const { return forward + backward; }
};

// One line on why the spill formula and the exposed encoder time differ.
struct SpillAccount {
  Seconds formula;
  Seconds exposed;
  std::vector<EncoderOnCriticalPath> on_path;  // by rank, ascending
};

// A microbatch's forward in the transposed region, over microbatches, replicas and draws.
struct EncoderTimes {
  Seconds least;
  Seconds mean;
  Seconds most;
};

// Host time of the simulation itself.
struct SimulationCost {
  std::uint64_t events;  // priced events of one draw, all replicas
  double derive_s;
  double longest_path_s;            // one warm pass over prepared arrays
  std::optional<double> simgrid_s;  // one replay, the mean of them
};

// Which result is the balanced pipeline beside a transposed one: an index into the experiment's schedules, or
// into those that were added.
struct Beside {
  bool added;
  std::size_t index;
};

struct ScheduleResult {
  std::string name;
  std::shared_ptr<const Derived> derived;
  std::uint32_t equal_replicas = 1;  // each simulated replica stands for this many that run alike
  std::string owner;                 // the owner policy that made the map; empty where nothing is transposed
  bool owner_from_draw = false;      // a map for each draw, from its own sizes; else one from expected sizes
  Seconds owner_gap;                 // on those sizes, no map spills less than the chosen ones minus this
  MicrobatchOrder order = MicrobatchOrder::AsSampled;
  std::vector<Permutation> sampled_as;  // of the first draw, by simulated replica; empty as sampled
  std::vector<DrawResult> draws;
  CriticalPathShares critical_path;       // of the first draw, by the longest path
  std::optional<SpillAccount> spill;      // none where no transposed region feeds a pipelined one
  std::optional<EncoderTimes> encoder;    // the same
  std::vector<PricedOperator> operators;  // of the first draw; empty where durations are given
  std::vector<double> peak_activations;   // by rank, in units of its slab for one microbatch
  SimulationCost simulation;
  // The first draw, for pictures and traces, from the engine that gave `makespan`.
  Durations durations;
  Timeline timeline;
  std::vector<std::vector<MemoryLevel>> memory;  // by rank of the first replica; empty where not computed
  std::vector<Warning> warnings = {};            // of this schedule; those of all are the evaluation's
  std::optional<Beside> beside = {};             // where something is transposed and references are run
};

// A parameter fitted before the run, so that a schedule's longest path takes a stated time.
struct FittedParameter {
  std::string pointer;  // JSON pointer into the experiment
  std::string schedule;
  Seconds target;
  double value;
  Seconds reached;
};

// What memory is judged by: of a rank, or of each device where there is a platform.
struct MemoryLimit {
  Bytes bytes;
  bool stated;  // by the experiment; else it is what an accelerator of the platform has
};

struct Evaluation {
  std::string experiment;
  std::size_t baseline;  // index into schedules
  std::vector<FittedParameter> fitted;
  std::vector<std::string> assumptions;  // printed with the result
  std::vector<ScheduleResult> schedules;
  std::optional<MemoryLimit> memory_limit = {};
  std::vector<PlatformInput> inputs = {};   // empty where durations are given
  std::vector<Warning> warnings = {};       // of every schedule
  std::vector<WorkloadUse> workloads = {};  // none where nothing is drawn from traces and no text is stated
  // Balanced pipelines that the experiment lacks, run like its schedules; a limit of its memory marks them,
  // too.
  std::vector<ScheduleResult> references = {};
  Job job = {};

  const ScheduleResult& at(const Beside& beside) const {
    return (beside.added ? references : schedules)[beside.index];
  }
};

// Throws InputError where draws lose most of their data (held_to_losses), Infeasible where a fit reaches
// nothing. A schedule that needs more memory than there is has a warning (memory_limit.h). Contract: at least
// one engine. `draws` and `seed` are the experiment's. Holds the process's SimGrid engine while it runs, if
// it is asked for, so at most one such call at a time.
Evaluation evaluate(const Experiment& experiment, const Engines& engines);
// With orders that other evaluations derived, or will want.
Evaluation evaluate(const Experiment& experiment, const Engines& engines, OrderCache& orders);

}  // namespace spillway
