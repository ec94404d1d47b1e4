#include "draws/costs.h"

#include <utility>

#include "draws/even_stages.h"
#include "draws/given_draws.h"
#include "draws/later_step.h"
#include "draws/schedule_rules.h"
#include "draws/straggler.h"
#include "draws/sub_microbatches.h"
#include "model/model.h"

namespace spillway {
namespace {

// No member of DrawCosts asks whether durations are given, since the source hides it.
std::unique_ptr<CostSource> source_of(const Experiment& experiment, SampleCache& samples) {
  const JobSamples of_job(experiment, samples);
  if (const auto* given = std::get_if<GivenCosts>(&experiment.costs)) return given_source(*given, of_job);
  return platform_source(std::get<AnalyticExperiment>(experiment.costs), experiment.model, of_job);
}

}  // namespace

bool is_drawn(const JobCosts& costs) {
  if (const auto* given = std::get_if<GivenCosts>(&costs)) return is_drawn(*given);
  return std::get<AnalyticExperiment>(costs).workload.packing != Packing::TextOnly;
}

bool draws_differ(const Experiment& experiment) {
  return is_drawn(experiment.costs);
}

std::uint32_t different_draws(const Experiment& experiment) {
  return draws_differ(experiment) ? experiment.draws : 1;
}

bool plans_each_step(const Experiment& experiment, const ScheduleSpec& schedule) {
  return schedule.plans_by_sizes() && draws_differ(experiment);
}

std::vector<PlacedWorkload> workloads(const Experiment& experiment) {
  const auto* given = std::get_if<GivenCosts>(&experiment.costs);
  if (!given) return {{"/workload", std::get<AnalyticExperiment>(experiment.costs).workload}};
  std::vector<PlacedWorkload> all;
  for (std::size_t i = 0; i < given->blocks.size(); ++i)
    if (const auto& images = given->blocks[i].image_work)
      all.push_back({"/model/blocks/" + std::to_string(i) + "/image_work", *images->workload});
  return all;
}

DrawCosts::DrawCosts(const Experiment& experiment, SampleCache* samples)
    : experiment_(with_what_if(experiment)),
      own_samples_(samples ? nullptr : std::make_unique<SampleCache>(0)),
      source_(source_of(experiment_, samples ? *samples : *own_samples_)) {}

void DrawCosts::set_experiment(const Experiment& experiment) {
  experiment_ = with_what_if(experiment);
  source_->set(experiment_);
}

void DrawCosts::lay_again(const Experiment& experiment) {
  experiment_ = with_what_if(experiment);
  source_->lay_again(experiment_);
}

bool DrawCosts::has_parts(const Outline& outline) const {
  return outline.modules.empty() && outline.pipeline.microbatches > experiment_.pipeline.microbatches;
}

std::unique_ptr<CostModel> DrawCosts::of(const Outline& outline, std::uint32_t draw) const {
  if (has_parts(outline)) return in_parts(outline, draw);
  std::unique_ptr<CostModel> model = ruled(outline, draw);
  return experiment_.fits.empty() ? under_what_ifs(std::move(model), outline) : std::move(model);
}

// Contract: nothing is left to fit.
std::unique_ptr<CostModel> DrawCosts::under_what_ifs(std::unique_ptr<CostModel> model,
                                                     const Outline& outline) const {
  const WhatIf& what_if = experiment_.what_if;
  if (what_if.even_stages) model = std::make_unique<EvenStages>(std::move(model), outline);
  if (what_if.straggler.time != 1)
    model = std::make_unique<StragglerCosts>(std::move(model), outline, what_if.straggler);
  if (what_if.between_steps > Seconds())
    model = std::make_unique<LaterStep>(std::move(model), what_if.between_steps);
  return model;
}

// Returns the costs with the schedule's rules applied.
std::unique_ptr<CostModel> DrawCosts::ruled(const Outline& outline, std::uint32_t draw) const {
  std::unique_ptr<CostModel> model = source_->of(outline, draw);
  if (!outline.modules.empty()) return model;
  return with_schedule_rules(std::move(model), outline, exchange(outline, draw));
}

std::unique_ptr<CostModel> DrawCosts::in_parts(const Outline& outline, std::uint32_t draw) const {
  auto coarse = std::make_unique<Outline>(outline);
  coarse->pipeline.microbatches = experiment_.pipeline.microbatches;
  std::unique_ptr<CostModel> whole = of(*coarse, draw);
  return std::make_unique<SubMicrobatches>(std::move(coarse), std::move(whole),
                                           outline.pipeline.microbatches / experiment_.pipeline.microbatches);
}

SampleExchange DrawCosts::exchange(const Outline& outline, std::uint32_t draw) const {
  return outline.regrouping.rule == Regrouping::Rule::AsDrawn ? SampleExchange{}
                                                              : source_->exchange(outline, draw);
}

Bytes DrawCosts::exchanged(const Outline& outline, std::uint32_t draw) const {
  Bytes all;
  for (const auto& replica : exchange(outline, draw).moved)
    for (const Bytes moved : replica) all += moved;
  const bool trained = outline.model.trainable({0, leading_encoder_layers(outline.model)});
  return all * (trained ? 2.0 : 1.0);
}

double DrawCosts::planned_s(const Outline& outline, std::uint32_t draw) const {
  return outline.regrouping.rule == Regrouping::Rule::AsDrawn ? 0 : source_->planned_s(outline, draw);
}

std::unique_ptr<Footprints> DrawCosts::footprints(const Outline& outline, std::uint32_t draw) const {
  if (outline.input.recomputed || has_parts(outline) || !outline.modules.empty()) return of(outline, draw);
  return source_->footprints(outline, draw);
}

std::vector<std::uint32_t> DrawCosts::asked_for() const {
  const std::set<std::uint32_t> draws = source_->asked_for();
  return {draws.begin(), draws.end()};
}

std::optional<StepAccount> DrawCosts::step_account(std::uint32_t draw) const {
  return source_->step_account(draw);
}

std::vector<WorkloadTally> DrawCosts::tallies(std::uint32_t draw) const {
  const auto known = tallies_.find(draw);
  if (known != tallies_.end()) return known->second;
  return tallies_[draw] = source_->tallies(draw);
}

}  // namespace spillway
