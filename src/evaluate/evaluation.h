// What an evaluation says. Every record is made whole, by evaluate().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/warning.h"
#include "cost/evidence.h"
#include "cost/layers/parameter_parts.h"
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
#include "timing/timeline.h"

namespace spillway {

// One schedule under one draw.
struct DrawResult {
  ByEngine<std::optional<Seconds>> makespans;
  StepFigures step;  // of the last engine that replays, or else of the longest path
  std::vector<RankFigures> ranks;
  std::vector<PeakMemory> memory;  // of each of `ranks`; empty where the experiment does not say enough
  std::optional<StepAccount> account = {};  // none where durations are given
  CriticalPathShares critical_path = {};    // by the longest path, whatever `step` is of
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
  std::uint64_t events = 0;  // priced events of one draw, all replicas
  double derive_s = 0;
  double longest_path_s = 0;          // one warm pass over prepared arrays
  std::optional<double> plan_s = {};  // of a draw, the mean; none where one plan is for all draws
  ByEngine<std::optional<double>> one_run_s = {};  // the mean over draws; none of an engine that did not run
};

// What is shown of the first draw alone.
struct FirstDraw {
  std::vector<Permutation> sampled_as = {};       // by simulated replica; empty as sampled
  std::optional<SpillAccount> spill = {};         // none where no transposed region feeds a pipelined one
  std::vector<PricedOperator> operators = {};     // empty where durations are given
  std::optional<EvidenceSummary> evidence = {};   // of the operators
  Bytes traffic = {};                             // of the whole job (priced_draw.h)
  std::vector<BubbleCauses> bubble = {};          // by replica and rank
  std::vector<CriticalEvent> critical_path = {};  // by the longest path, whatever `timeline` is of
  // For pictures and traces, from the engine that `step` is of; of references empty.
  Durations durations = {};
  Timeline timeline = {};
  std::vector<std::vector<MemoryLevel>> memory = {};  // by rank of replica 0; empty where not computed
};

// Which result is the balanced pipeline beside a transposed one: an index into the experiment's schedules, or
// into those that were added.
struct Beside {
  bool added;
  std::size_t index;
};

struct ScheduleResult {
  std::string name;
  std::string system = {};                    // which laid it out; empty where the experiment did
  std::vector<std::string> assumptions = {};  // of that system
  SplitRule split = SplitRule::Jointly;       // how its layers are
  Terms terms = {};
  std::vector<std::string> kept_terms = {};  // where they are not those of all systems, and why
  std::string unranked = {};                 // why its figures are shown and not ranked; empty where they are
  std::shared_ptr<const Derived> derived;
  std::uint32_t equal_replicas = 1;  // each simulated replica stands for this many that run alike
  std::string owner = {};            // the owner policy that made the map; empty where nothing is transposed
  bool owner_from_draw = false;      // a map for each draw, from its own sizes; else one from expected sizes
  Seconds owner_gap = {};            // on those sizes, no map spills less than the chosen ones minus this
  Seconds planning = {};             // of each step, as stated: what of it is exposed is charged
  MicrobatchOrder order = MicrobatchOrder::AsSampled;
  std::vector<DrawResult> draws = {};
  FirstDraw first = {};
  std::optional<EncoderTimes> encoder = {};   // none where no transposed region feeds a pipelined one
  std::vector<double> peak_activations = {};  // by rank, in units of its slab for one microbatch
  SimulationCost simulation = {};
  std::vector<Warning> warnings =
      {};  // of this schedule, by warn/warnings.h; those of all are the evaluation's
  std::optional<Beside> beside = {};          // where something is transposed and references are run
  std::optional<StepInterval> interval = {};  // where it was asked for and there is a platform

  // Of a longer step, by the first draw's durations; none where its middle has no period. Computed when
  // asked: tables and sweeps of cases do without. Contract: not of a reference, whose durations are not kept.
  std::optional<SteadyState> growth() const { return steady_state(derived->order, first.durations); }
};

// What memory is judged by: of a rank, or of each device where there is a platform.
struct MemoryLimit {
  Bytes bytes;
  bool stated;  // by the experiment; else it is what an accelerator of the platform has
};

// A schedule of the experiment once more, its layers split by what they take.
struct SplitByCost {
  std::size_t schedule;
  SplitRule like;
  ScheduleResult result;
};

struct JobLayout {
  std::uint32_t ranks;
  std::uint32_t microbatches;  // of each replica
  std::uint32_t replicas;
  // Nothing where durations are given: a rank is then what they were measured on.
  struct Devices {
    std::uint32_t tensor, context, expert;
    std::uint32_t all;  // ranks x tensor x context x replicas
  };
  std::optional<Devices> devices = {};
};

struct BlockParameters {
  std::string block;
  std::uint64_t parameters;
  std::vector<ParameterPart> parts;  // they sum to it
};

struct Job {
  std::uint64_t seed = 1;
  std::optional<std::string> platform = {};   // its name; nothing where durations are given
  std::optional<std::string> framework = {};  // its name, where the experiment names one
  JobLayout layout = {};
  std::vector<BlockParameters> parameters =
      {};  // by block, in the model's order; empty where durations are given
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
  // Sides of the headline that are split by count where the other is not, if that changes their layers.
  std::vector<SplitByCost> by_cost = {};
  Job job = {};
  std::optional<Terms> equal_terms = {};  // of all systems, where they are played on the same

  const ScheduleResult& at(const Beside& beside) const {
    return (beside.added ? references : schedules)[beside.index];
  }
};

// Of the experiment itself or folded: the replicas are all of them.
Job job_of(const Experiment& experiment);

// What its times rest on: the platform's numbers, and what the experiment states or fits in their place;
// nothing where durations are given.
std::vector<PlatformInput> inputs_of(const Experiment& experiment,
                                     const std::vector<FittedParameter>& fitted);

}  // namespace spillway
