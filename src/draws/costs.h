// The cost model of one experiment, order and draw.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/cost_model.h"
#include "cost/slabs/priced_slabs.h"
#include "cost/stage_collectives.h"
#include "cost/step_account.h"
#include "draws/module_costs.h"
#include "draws/regrouped_draws.h"
#include "experiment/experiment.h"
#include "workload/sample_cache.h"
#include "workload/tally.h"

namespace spillway {

// Do draws differ? Not where durations are given and none of the work is drawn, nor where every microbatch is
// as much text.
bool is_drawn(const std::variant<GivenCosts, AnalyticExperiment>& costs);
bool draws_differ(const Experiment& experiment);
// How many of its draws differ; the first stands for all where none does.
std::uint32_t different_draws(const Experiment& experiment);

// Is each step planned from its own sizes, and no plan like the last one's?
bool plans_each_step(const Experiment& experiment, const ScheduleSpec& schedule);

// Where images and text are drawn from, by their places in the experiment: /workload, or image_work of
// blocks.
struct PlacedWorkload {
  std::string pointer;
  const WorkloadSpec& spec;
};
std::vector<PlacedWorkload> workloads(const Experiment& experiment);

// Cost models by draw, of the experiment with its what-ifs; what a draw holds is sampled once and serves
// every schedule. Not for several threads.
class DrawCosts {
 public:
  // Samples come from `samples`, if given, which outlives this and may serve others at the same time.
  explicit DrawCosts(const Experiment& experiment, SampleCache* samples = nullptr);

  // Views `outline`, which outlives it. One of several times the experiment's microbatches is of parts of
  // these (sub_microbatches.h).
  std::unique_ptr<CostModel> of(const Outline& outline, std::uint32_t draw) const;

  // What is held of it: nothing is priced where durations follow from an architecture.
  std::unique_ptr<Footprints> footprints(const Outline& outline, std::uint32_t draw) const;

  // Of the whole job, folded replicas included; none where durations are given.
  std::optional<StepAccount> step_account(std::uint32_t draw) const;

  // What the draw took from each of the experiment's workloads, all replicas of the whole job together.
  std::vector<WorkloadTally> tallies(std::uint32_t draw) const;

  // What replicas send each other of what was encoded for another one, gradients included.
  Bytes exchanged(const Outline& outline, std::uint32_t draw) const;
  // How long the host took to say where the draw's samples are computed, when it first did; 0 where they
  // stay.
  double planned_s(const Outline& outline, std::uint32_t draw) const;

  // Other parameters under the draws there are: fitting changes an efficiency or a profile, never an image or
  // what was measured.
  void set_experiment(const Experiment& experiment);
  // Other schedules of the same job: nothing is priced anew.
  void set_schedules(std::vector<ScheduleSpec> schedules) { experiment_.schedules = std::move(schedules); }
  const Experiment& experiment() const { return experiment_; }
  // Which draws were asked for so far, ascending: what a plan has seen. None of what is the same in all.
  std::vector<std::uint32_t> asked_for() const;

 private:
  void share_workloads();
  // With the stages that a what-if asks for.
  std::unique_ptr<CostModel> evened(std::unique_ptr<CostModel> model, const Outline& outline) const;
  std::unique_ptr<CostModel> in_modules(const Outline& outline, std::uint32_t draw) const;
  const DrawCosts& costs_of_module(const Outline& outline, std::size_t module) const;
  std::unique_ptr<CostModel> in_parts(const Outline& outline, std::uint32_t draw) const;
  std::unique_ptr<CostModel> as_placed(const Outline& outline, std::uint32_t draw) const;
  // Of the outline that was priced last: the draws of a schedule come one after the other.
  struct LaidOut {
    Pipeline pipeline;
    std::vector<Stage> stages;
    std::shared_ptr<const StageSlabs> slabs;
    std::shared_ptr<const CollectiveUses> uses;  // once something is priced
  };
  LaidOut& laid_out(const AnalyticExperiment& analytic, const Outline& outline) const;
  // A draw under one of the rules of where its samples are computed.
  using DrawKey = std::pair<Regrouping, std::uint32_t>;
  template <class Loads>
  struct Drawn {
    Loads loads;
    std::vector<std::vector<SeamTraffic>> traffic = {};
    double planned_s = 0;
  };
  using DrawnLoads = Drawn<std::shared_ptr<const DrawLoads>>;
  using DrawnGiven = Drawn<std::shared_ptr<const GivenCosts>>;

  const DrawnLoads& loads(const AnalyticExperiment& analytic, const DrawKey& key) const;
  const DrawnGiven& drawn(const GivenCosts& given, const DrawKey& key) const;
  Drawn<GivenCosts> regrouped(const GivenCosts& given, const DrawKey& key) const;
  std::shared_ptr<const SampledDraw> samples(const std::shared_ptr<const WorkloadSpec>& workload,
                                             const DrawKey& key) const;
  SampleExchange exchange(const Outline& outline, std::uint32_t draw) const;

  Experiment experiment_;
  std::unique_ptr<SampleCache>
      own_samples_;  // where none are given; keeps nothing, since draws are kept here
  SampleCache* samples_;
  std::shared_ptr<const WorkloadSpec> workload_;  // of an analytic experiment
  mutable std::map<DrawKey, DrawnLoads> loads_;
  mutable std::map<DrawKey, PricedSlabs> slabs_;
  mutable std::optional<LaidOut> laid_out_;
  mutable std::map<DrawKey, DrawnGiven> drawn_;
  mutable std::map<std::uint32_t, std::vector<WorkloadTally>> tallies_;
  // What modules are priced by, which share the samples.
  mutable std::map<ModuleDevices, std::unique_ptr<DrawCosts>> modules_;
};

}  // namespace spillway
