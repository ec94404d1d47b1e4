// The result of an evaluation. evaluate() completes every record, except warnings (warn/warnings.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/warning.h"
#include "cost/layers/parameter_parts.h"
#include "cost/operators/evidence.h"
#include "cost/step_account.h"
#include "derive/derive.h"
#include "evaluate/engines.h"
#include "evaluate/fit.h"
#include "evaluate/step_interval.h"
#include "evaluate/workload_use.h"
#include "experiment/experiment.h"
#include "experiment/split_rule.h"
#include "maxplus/steady_state.h"
#include "memory/peak_memory.h"
#include "optimize/reordered_costs.h"
#include "platform/inputs.h"
#include "timing/attribution.h"
#include "timing/critical_path.h"
#include "timing/figures.h"
#include "timing/order_bound.h"
#include "timing/timeline.h"

namespace spillway {

// One schedule on one draw.
struct DrawResult {
  ByEngine<std::optional<Seconds>> makespans;
  StepFigures step;  // of the last engine that replays, or else of the longest path
  std::vector<RankFigures> ranks;
  std::vector<PeakMemory> memory;  // of each of `ranks`; empty if the experiment does not state enough
  std::optional<StepAccount> account = {};  // empty if durations are given
  CriticalPathShares critical_path = {};    // by the longest path, whatever engine `step` is of
  std::optional<StepEnd> step_end = {};     // empty unless a framework states how a step ends
  std::optional<StepBound> bound = {};      // of any order of the same passes; empty if streamed
};

// Transposed work on the critical path of the first draw, which makes up the exposed encoder time.
struct EncoderOnCriticalPath {
  RankId rank;
  Seconds forward;
  Seconds backward;

  Seconds time() const { return forward + backward; }
};

// Why the spill formula and the exposed encoder time differ, in one line.
struct SpillAccount {
  Seconds formula;
  Seconds exposed;
  std::vector<EncoderOnCriticalPath> on_path;  // by rank, ascending
};

// The forward of a microbatch in the transposed region, over microbatches, replicas and draws.
struct EncoderTimes {
  Seconds least;
  Seconds mean;
  Seconds most;
};

// Host time of the simulation.
struct SimulationCost {
  std::uint64_t events = 0;  // priced events of one draw, all replicas
  double derive_s = 0;
  double longest_path_s = 0;          // one warm pass over prepared arrays
  std::optional<double> plan_s = {};  // mean time to plan a draw; empty if one plan serves all draws
  ByEngine<std::optional<double>> one_run_s = {};  // mean over draws; empty for an engine that did not run
};

// Data that is shown of the first draw only.
struct FirstDraw {
  std::vector<Permutation> sampled_as = {};       // by simulated replica; empty if as sampled
  std::optional<SpillAccount> spill = {};         // empty if no transposed region feeds a pipelined one
  std::vector<PricedOperator> operators = {};     // empty if durations are given
  std::optional<EvidenceSummary> evidence = {};   // of the operators
  Bytes traffic = {};                             // of the whole job (priced_draw.h)
  std::vector<BubbleCauses> bubble = {};          // by replica and rank
  std::vector<CriticalEvent> critical_path = {};  // by the longest path, whatever engine `timeline` is of
  // For pictures and traces, from the engine that `step` is of. Empty for references.
  Durations durations = {};
  Timeline timeline = {};
  std::vector<std::vector<MemoryLevel>> memory = {};  // by rank of replica 0; empty if not computed
};

// The balanced reference of a schedule: an index into the experiment's schedules, or into the added ones.
struct Beside {
  bool added;
  std::size_t index;
};

struct ScheduleResult {
  std::string name;
  std::string system = {};                    // the system that laid it out; empty if the experiment did
  std::vector<std::string> assumptions = {};  // assumptions of that system
  SplitRule split = SplitRule::Jointly;       // how its layers are split
  Terms terms = {};
  std::vector<std::string> kept_terms = {};  // terms that differ from those of all systems, and why
  std::string unranked = {};  // why its figures are shown but not ranked; empty if they are ranked
  std::shared_ptr<const Derived> derived;
  std::uint32_t equal_replicas = 1;  // replicas that run alike, which each simulated replica stands for
  std::string owner = {};            // the owner policy that made the map; empty if nothing is transposed
  bool owner_from_draw = false;      // a map for each draw, from its own sizes; else one from expected sizes
  Seconds owner_gap = {};            // on those sizes, no map spills less than the chosen ones minus this
  Seconds planning = {};             // stated time of planning a step; the exposed part is charged
  MicrobatchOrder order = MicrobatchOrder::AsSampled;
  std::vector<DrawResult> draws = {};
  FirstDraw first = {};
  std::optional<EncoderTimes> encoder = {};   // empty if no transposed region feeds a pipelined one
  std::vector<double> peak_activations = {};  // by rank, in units of its slab for one microbatch
  SimulationCost simulation = {};
  std::vector<Warning> warnings =
      {};  // of this schedule, set by warn/warnings.h; the evaluation has those of all
  std::optional<Beside> beside = {};          // set if something is transposed and references are run
  std::optional<StepInterval> interval = {};  // set if it was asked for and there is a platform

  // Returns the growth of a longer step, by the first draw's durations. Empty if its middle has no period. It
  // is computed on request, since tables and sweeps of cases do not use it. Contract: this is no reference,
  // since references do not keep durations.
  std::optional<SteadyState> growth() const { return steady_state(derived->order, first.durations); }
};

// The limit that memory is compared with: of a rank, or of each device if there is a platform.
struct MemoryLimit {
  Bytes bytes;
  bool stated;  // by the experiment; else it is the memory of the platform's accelerator
};

// A schedule of the experiment, run again with its layers split by their time.
struct SplitByCost {
  std::size_t schedule;
  SplitRule like;
  ScheduleResult result;
};

struct JobLayout {
  std::uint32_t ranks;
  std::uint32_t microbatches;  // of each replica
  std::uint32_t replicas;
  // Empty if durations are given: a rank is then whatever they were measured on.
  struct Devices {
    std::uint32_t tensor, context, expert;
    std::uint32_t all;  // ranks x tensor x context x replicas
  };
  std::optional<Devices> devices = {};
};

struct BlockParameters {
  std::string block;
  std::uint64_t parameters;
  std::vector<ParameterPart> parts;  // they sum to `parameters`
};

struct Job {
  std::uint64_t seed = 1;
  std::optional<std::string> platform = {};   // its name; empty if durations are given
  std::optional<std::string> framework = {};  // its name, if the experiment names one
  JobLayout layout = {};
  std::vector<BlockParameters> parameters =
      {};  // by block, in the model's order; empty if durations are given
};

struct Evaluation {
  std::string experiment;
  std::size_t baseline;  // index into schedules
  std::vector<FittedParameter> fitted;
  std::vector<std::string> assumptions;  // printed with the result
  std::vector<ScheduleResult> schedules;
  std::optional<MemoryLimit> memory_limit = {};
  std::vector<PlatformInput> inputs = {};   // empty if durations are given
  std::vector<Warning> warnings = {};       // of all schedules together
  std::vector<WorkloadUse> workloads = {};  // empty if nothing is drawn from traces and no text is stated
  // Balanced pipelines that the experiment lacks, run like its schedules. A memory limit marks them, too.
  std::vector<ScheduleResult> references = {};
  // Sides of the headline that are split by count while the other side is not, if that changes their layers.
  std::vector<SplitByCost> by_cost = {};
  Job job = {};
  std::optional<Terms> equal_terms = {};  // terms of all systems, if they are compared on equal terms

  const ScheduleResult& at(const Beside& beside) const {
    return (beside.added ? references : schedules)[beside.index];
  }
};

// Describes the job of the experiment, folded or not, with all its replicas.
Job job_of(const Experiment& experiment);

// Returns the numbers that the job's times depend on: the platform's, and those that the experiment states or
// fits in their place. Empty if durations are given.
std::vector<PlatformInput> inputs_of(const Experiment& experiment,
                                     const std::vector<FittedParameter>& fitted);

}  // namespace spillway
