// The cost model of one experiment, order and draw.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cost/cost_model.h"
#include "cost/step_account.h"
#include "draws/cost_source.h"
#include "experiment/experiment.h"
#include "workload/sample_cache.h"
#include "workload/tally.h"

namespace spillway {

// Do draws differ? Not where durations are given and none of the work is drawn, nor where every microbatch is
// as much text.
bool is_drawn(const JobCosts& costs);
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
  // Are the outline's microbatches parts of the experiment's?
  bool has_parts(const Outline& outline) const;
  std::unique_ptr<CostModel> ruled(const Outline& outline, std::uint32_t draw) const;
  SampleExchange exchange(const Outline& outline, std::uint32_t draw) const;
  std::unique_ptr<CostModel> in_parts(const Outline& outline, std::uint32_t draw) const;

  Experiment experiment_;
  std::unique_ptr<SampleCache>
      own_samples_;  // where none are given; keeps nothing, since draws are kept here
  std::unique_ptr<CostSource> source_;
  mutable std::map<std::uint32_t, std::vector<WorkloadTally>> tallies_;
};

}  // namespace spillway
