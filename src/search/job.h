// A planning job: a model, its data and the clusters that could train it. Its format is spillway/plan/1; see
// `spillway schema plan` and docs/plan.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "derive/owner.h"
#include "derive/stage_split.h"
#include "experiment/experiment.h"
#include "goodput/reliability.h"
#include "input/experiment/system_choice.h"
#include "json/node.h"
#include "json/source.h"
#include "platform/expert_dispatch.h"
#include "search/known_error.h"

namespace spillway {

// The value that the best plan minimizes. Every plan trains the same batch in a step, so both values are
// compared by step.
enum class Objective : std::uint8_t { Usd, Time };

// A schedule, with the way it is placed on any number of ranks.
struct ScheduleChoice {
  std::string text;  // as users write it
  Schedule schedule;
  StageSplit split = StageSplit::Balanced;
  std::optional<Cut> cut = {};  // if empty: the default cut, or the system's
  OwnerPolicy owner = OwnerPolicy::Greedy;
  InputRule input = {};
  bool moves_samples = false;  // samples are computed elsewhere than where they were drawn
  bool even_stages = false;    // searched only where stages can have as many layers each: layout_rules.h
  // The system that gives the schedule for a known pipeline. The members above, except the cut, are then what
  // all its pipelines share. `system_entry` is its entry in an experiment, without a name.
  std::optional<SystemChoice> system = {};
  Object system_entry = {};
  std::string name = {};  // name in plans: search/schedule_names.h
  // A schedule that a user asks about, on one pipeline, with the layers of its stages if they are stated. It
  // then replaces all of the above but the name (src/ask).
  std::optional<ScheduleSpec> given = {};
};

// A cluster of the job under one framework. A cluster with several frameworks is one value for each of them.
struct JobCluster {
  std::vector<std::uint32_t> devices;  // possible numbers of devices, ascending
  Object document;                     // an experiment's keys for platform, framework and memory
  // The job on one device of the cluster, with one microbatch of one sequence or sample. Layouts are made
  // from it.
  Experiment base;
  std::optional<Reliability> reliability = {};  // if not stated, no device ever fails
  std::size_t stated = 0;                       // index in the job's list of clusters
  std::string framework = {};                   // as users name it: "nemo"; empty: none
  std::vector<std::string> alike = {};          // further frameworks of the job that price all layouts alike
  // Ideal software, beside that which runs there: a bound, which is never recommended.
  bool is_bound = false;
  // How a rank of several devices treats images, if the framework decides it and the job does not.
  std::optional<EncoderImages> images = {};
  // The way of tokens to experts, if the framework decides it and the job does not.
  std::optional<ExpertDispatch> dispatch = {};
  bool splits = true;  // false: each device has the whole model, without pipelines and parallel groups
  // Shipped frameworks of "any" that run there and have no such model. Equal for all of a stated cluster.
  std::vector<std::string> without_model = {};

  const AnalyticExperiment& analytic() const { return std::get<AnalyticExperiment>(base.costs); }
  const Platform& platform() const { return analytic().costs.platform; }
};

struct JobLimits {
  std::optional<double> days = {};
  std::optional<Dollars> budget = {};  // for the training
  std::optional<Seconds> step = {};
  // The share of a device's memory that stays free for what no figure counts: libraries' buffers and
  // fragmentation. It does not apply to a limit that a cluster states.
  double memory_headroom = 0.05;
};

// The dimensions of layouts. A list that is left out allows all legal values.
struct JobSearch {
  std::optional<std::vector<std::uint32_t>> ranks = {}, tensor = {}, context = {}, expert = {},
                                            microbatch = {};  // sequences or samples in one
  std::optional<std::vector<Recompute>> recompute = {};
  std::optional<std::vector<DataParallel>> data = {};
  std::vector<ScheduleChoice> schedules;
  bool usual = false;  // the job names no schedules: these are usual_schedules()
  bool all = false;    // true: also layouts that nobody would run (sense.h)
};

struct PlanJob {
  std::string name;
  std::string path;  // of its file; its paths are relative to it
  std::string text;  // the whole job, JSON
  // 32 hexadecimal digits of everything that the plans depend on, except the program: the job, and the
  // content of every file that it names.
  std::string identity;
  Object document;  // keys that all its experiments share: model, workload, seed, draws, ...
  std::vector<bool> states_recompute;      // by block: it states its own recomputation
  std::uint32_t batch;                     // sequences in a step, or samples if the workload is unpacked
  std::optional<double> tokens = {};       // useful tokens in the training
  std::vector<JobCluster> clusters;        // in the order of the job, those of a stated one together
  std::vector<std::string> left_out = {};  // sentences on stated clusters that are not planned
  // The clusters under those of their frameworks to which a narrowed job is not narrowed.
  std::vector<JobCluster> other_frameworks = {};
  bool launchable = false;                 // plan only layouts that their framework can launch
  KnownErrors known_errors;
  JobLimits limits = {};
  Objective objective = Objective::Usd;
  bool has_prices = true;  // every cluster has a price; otherwise plans are ranked by time
  JobSearch search;
  std::uint32_t draws = 8;
  std::uint64_t seed = 1;
  std::uint32_t replay = 3;  // number of best plans that SimGrid replays
};

// Throws InputError with every violation of the job and the files it names. A `framework` (a shipped name, or
// as the job states it) narrows every cluster to it. Clusters that do not run it are left out.
PlanJob read_plan_job(const Source& source, const std::string& framework = {});

// True if no earlier cluster is the same stated one.
bool is_first_as_stated(const PlanJob& job, const JobCluster& cluster);

// The cluster's framework and those alike, as users name them. Empty without a framework, and for a bound.
std::vector<std::string> framework_names(const JobCluster& cluster);
bool runs_framework(const JobCluster& cluster, const std::string& framework);

// Returns a choice whose stages are balanced. Interleaved regions are split together.
ScheduleChoice balanced_choice(std::string text, Schedule schedule, std::optional<Cut> cut = {});

// The schedules to try if the job names none: pipelines over the whole model with balanced stages and, if the
// model begins with an encoder, transposed ones, DistTrain and encode-first.
std::vector<ScheduleChoice> usual_schedules(const Model& model);

}  // namespace spillway
