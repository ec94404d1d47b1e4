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

// Returns false if every draw is the same: durations are given and no work is drawn, or every microbatch has
// the same amount of text.
bool is_drawn(const JobCosts& costs);
bool draws_differ(const Experiment& experiment);
// Returns the number of draws that differ. If none differ, it is 1: the first draw stands for all.
std::uint32_t different_draws(const Experiment& experiment);

// Returns true if each step is planned from its own sizes, so that plans of two steps may differ.
bool plans_each_step(const Experiment& experiment, const ScheduleSpec& schedule);

// A workload that images and text are drawn from, and its place in the experiment: /workload, or the
// image_work of a block.
struct PlacedWorkload {
  std::string pointer;
  const WorkloadSpec& spec;
};
std::vector<PlacedWorkload> workloads(const Experiment& experiment);

// Cost models of an experiment by draw, with the experiment's what-ifs applied. Each draw is sampled once and
// serves every schedule. Not thread-safe.
class DrawCosts {
 public:
  // Takes samples from `samples` if it is not null. It outlives this object and may serve others at the same
  // time.
  explicit DrawCosts(const Experiment& experiment, SampleCache* samples = nullptr);

  // Returns the costs of the outline. Views `outline`, which outlives the result. If the outline has several
  // times the experiment's microbatches, each of them is a part of a microbatch (sub_microbatches.h).
  std::unique_ptr<CostModel> of(const Outline& outline, std::uint32_t draw) const;

  // Returns what the outline's ranks hold. If durations follow from an architecture, nothing is priced.
  std::unique_ptr<Footprints> footprints(const Outline& outline, std::uint32_t draw) const;

  // Returns the account of the whole job, folded replicas included. Empty if durations are given.
  std::optional<StepAccount> step_account(std::uint32_t draw) const;

  // Returns what the draw took from each workload of the experiment, summed over all replicas of the whole
  // job.
  std::vector<WorkloadTally> tallies(std::uint32_t draw) const;

  // Returns the bytes that replicas send each other of samples encoded for another replica, gradients
  // included, for one device of each rank.
  Bytes exchanged(const Outline& outline, std::uint32_t draw) const;
  // Returns the host time of choosing where the draw's samples are computed, measured when it was first done.
  // 0 if samples stay where they are drawn.
  double planned_s(const Outline& outline, std::uint32_t draw) const;

  // Replaces the parameters and keeps the draws. A fit changes an efficiency or a profile, never an image or
  // a measured value.
  void set_experiment(const Experiment& experiment);
  // Replaces the experiment by one that differs in recomputation, the sharding of states and schedules alone.
  // Keeps the draws and the times of operators.
  void lay_again(const Experiment& experiment);
  // Replaces the schedules of the same job. Nothing is priced again.
  void set_schedules(std::vector<ScheduleSpec> schedules) { experiment_.schedules = std::move(schedules); }
  const Experiment& experiment() const { return experiment_; }
  // Returns the draws that were asked for so far, ascending: those that a plan has seen. Draws of values that
  // are equal in all draws are not listed.
  std::vector<std::uint32_t> asked_for() const;

 private:
  // Returns true if the outline's microbatches are parts of the experiment's.
  bool has_parts(const Outline& outline) const;
  std::unique_ptr<CostModel> ruled(const Outline& outline, std::uint32_t draw) const;
  std::unique_ptr<CostModel> under_what_ifs(std::unique_ptr<CostModel> model, const Outline& outline) const;
  SampleExchange exchange(const Outline& outline, std::uint32_t draw) const;
  std::unique_ptr<CostModel> in_parts(const Outline& outline, std::uint32_t draw) const;

  Experiment experiment_;
  std::unique_ptr<SampleCache> own_samples_;  // if none are given; keeps nothing, since draws are kept here
  std::unique_ptr<CostSource> source_;
  mutable std::map<std::uint32_t, std::vector<WorkloadTally>> tallies_;
};

}  // namespace spillway
