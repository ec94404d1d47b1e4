// What is to be planned: a model, its data and the clusters that could train it. spillway/plan/1, see
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
#include "input/experiment/system_choice.h"
#include "json/node.h"
#include "json/source.h"
#include "search/known_error.h"

namespace spillway {

// What is least in the best plan. Every plan trains the same batch a step, so that either is compared by
// step.
enum class Objective : std::uint8_t { Usd, Time };

// A schedule, and how it is laid over whatever ranks there are.
struct ScheduleChoice {
  std::string text;  // as users write it
  Schedule schedule;
  StageSplit split = StageSplit::Balanced;
  std::optional<Cut> cut = {};  // else the default one, or the system's
  OwnerPolicy owner = OwnerPolicy::Greedy;
  InputRule input = {};
  bool moves_samples = false;  // they are computed elsewhere than where they were drawn
  // What lays it out, once a pipeline is known; all but the cut above is what every pipeline has of it. And
  // its entry as an experiment has it, without a name.
  std::optional<SystemChoice> system = {};
  Object system_entry = {};
  std::string name = {};  // of its plans: search/schedule_names.h
};

struct JobCluster {
  std::vector<std::uint32_t> devices;  // how many may be taken, ascending
  Object document;                     // what an experiment on it says of platform, framework and memory
  // The job on one device of it, one microbatch of one sequence or sample: what layouts are made from.
  Experiment base;

  const AnalyticExperiment& analytic() const { return std::get<AnalyticExperiment>(base.costs); }
  const Platform& platform() const { return analytic().costs.platform; }
};

struct JobLimits {
  std::optional<double> days = {};
  std::optional<Dollars> budget = {};  // of the training
  std::optional<Seconds> step = {};
  // Share of a device's memory that is left free for what no figure counts: libraries' buffers and
  // fragmentation. Not of a limit that a cluster states.
  double memory_headroom = 0.05;
};

// What layouts are made of; a list that is left out: all that is legal.
struct JobSearch {
  std::optional<std::vector<std::uint32_t>> ranks = {}, tensor = {}, context = {}, expert = {},
                                            microbatch = {};  // sequences or samples of one
  std::optional<std::vector<Recompute>> recompute = {};
  std::optional<std::vector<DataParallel>> data = {};
  std::vector<ScheduleChoice> schedules;
};

struct PlanJob {
  std::string name;
  std::string path;  // of its file, what paths in it are relative to
  std::string text;  // the whole of it, JSON
  // 32 hexadecimal digits of all that its plans depend on besides the program: the job, and the content of
  // every file that it names.
  std::string identity;
  Object document;  // what every experiment made from it says: model, workload, seed, draws, ...
  std::vector<bool> states_recompute;  // by block
  std::uint32_t batch;                 // sequences, or samples where the workload is unpacked, of a step
  std::optional<double> tokens = {};   // useful ones, of the training
  std::vector<JobCluster> clusters;
  KnownErrors known_errors;
  JobLimits limits = {};
  Objective objective = Objective::Usd;
  bool has_prices = true;  // of every cluster; without them plans are ranked by time
  JobSearch search;
  std::uint32_t draws = 8;
  std::uint64_t seed = 1;
  std::uint32_t replay = 3;  // how many of the best plans SimGrid replays
};

// Throws InputError with every violation of the job and the files it names.
PlanJob read_plan_job(const Source& source);

// The schedules that are tried where the job names none: pipelines over the whole model and, where it begins
// with an encoder, what transposes it, stages balanced, DistTrain and encode-first.
std::vector<ScheduleChoice> usual_schedules(const Model& model);

}  // namespace spillway
