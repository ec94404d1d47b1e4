#include "experiment/costs.h"

#include "cost/analytic.h"
#include "cost/given_draws.h"
#include "experiment/even_stages.h"
#include "experiment/hidden_input.h"
#include "experiment/recomputed_input.h"

namespace spillway {
namespace {

Draw first_of(const Draw& draw, const Pipeline& pipeline) {
  Draw first;
  for (std::uint32_t replica = 0; replica < pipeline.replicas; ++replica)
    first.emplace_back(draw[replica].begin(), draw[replica].begin() + pipeline.microbatches);
  return first;
}

// Of what a draw begins with.
WorkloadTally tally_of(const Draw& draw, const Pipeline& pipeline) {
  WorkloadTally all;
  for (std::uint32_t replica = 0; replica < pipeline.replicas; ++replica)
    for (std::uint32_t microbatch = 0; microbatch < pipeline.microbatches; ++microbatch)
      all += tally(draw[replica][microbatch]);
  return all;
}

DrawOf draw_of(const Experiment& experiment, std::uint32_t number) {
  const Pipeline& pipeline = experiment.pipeline;
  return {pipeline.microbatches, pipeline.replicas, experiment.seed, number};
}

}  // namespace

bool draws_differ(const Experiment& experiment) {
  const auto* given = std::get_if<GivenCosts>(&experiment.costs);
  if (given) return is_drawn(*given);
  return std::get<AnalyticExperiment>(experiment.costs).workload.packing != Packing::TextOnly;
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
      samples_(samples ? samples : own_samples_.get()) {
  share_workloads();
}

void DrawCosts::set_experiment(const Experiment& experiment) {
  experiment_ = with_what_if(experiment);
  share_workloads();
  slabs_.clear();  // these follow from efficiencies or profiles, which may be what changed
  laid_out_.reset();
  drawn_.clear();
}

void DrawCosts::share_workloads() {
  if (auto* given = std::get_if<GivenCosts>(&experiment_.costs)) {
    for (BlockProfile& block : given->blocks)
      if (block.image_work) block.image_work->workload = samples_->shared(*block.image_work->workload);
  } else {
    workload_ = samples_->shared(std::get<AnalyticExperiment>(experiment_.costs).workload);
  }
}

std::unique_ptr<CostModel> DrawCosts::of(const Outline& outline, std::uint32_t draw) const {
  std::unique_ptr<CostModel> model = as_placed(outline, draw);
  if (outline.input_recomputed) model = std::make_unique<RecomputedInput>(std::move(model), outline);
  if (!outline.hidden.empty()) model = std::make_unique<HiddenInput>(std::move(model), outline);
  if (!experiment_.what_if.even_stages || !experiment_.fits.empty()) return model;
  return std::make_unique<EvenStages>(std::move(model), outline);
}

std::unique_ptr<CostModel> DrawCosts::as_placed(const Outline& outline, std::uint32_t draw) const {
  if (const auto* given = std::get_if<GivenCosts>(&experiment_.costs))
    return std::make_unique<GivenCostModel>(is_drawn(*given) ? drawn(*given, draw) : *given, outline);
  const auto& analytic = std::get<AnalyticExperiment>(experiment_.costs);
  LaidOut& laid = laid_out(analytic, outline);
  if (!laid.uses)
    laid.uses = std::make_shared<const CollectiveUses>(collective_uses(analytic.costs, outline, *laid.slabs));
  return std::make_unique<AnalyticCostModel>(analytic.costs, outline, laid.slabs, laid.uses,
                                             loads(analytic, draw), slabs_[draw]);
}

std::unique_ptr<Footprints> DrawCosts::footprints(const Outline& outline, std::uint32_t draw) const {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment_.costs);
  if (!analytic || outline.input_recomputed) return of(outline, draw);
  return std::make_unique<AnalyticFootprints>(analytic->costs, outline, laid_out(*analytic, outline).slabs,
                                              loads(*analytic, draw));
}

DrawCosts::LaidOut& DrawCosts::laid_out(const AnalyticExperiment& analytic, const Outline& outline) const {
  const auto [ranks, microbatches, replicas] = outline.pipeline;
  LaidOut other{ranks, replicas, {}, nullptr, nullptr};
  for (const Stage& stage : outline.stages) other.stages.emplace_back(stage.rank, stage.layers);
  if (laid_out_ && laid_out_->ranks == ranks && laid_out_->replicas == replicas &&
      laid_out_->stages == other.stages)
    return *laid_out_;
  other.slabs = std::make_shared<const StageSlabs>(analytic.costs, outline);
  laid_out_ = std::move(other);
  return *laid_out_;
}

std::vector<std::uint32_t> DrawCosts::asked_for() const {
  std::vector<std::uint32_t> draws;
  for (const auto& [draw, loads] : loads_) draws.push_back(draw);
  for (const auto& [draw, costs] : drawn_) draws.push_back(draw);
  return draws;
}

std::optional<StepAccount> DrawCosts::step_account(std::uint32_t draw) const {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment_.costs);
  if (!analytic) return std::nullopt;
  return spillway::step_account(analytic->costs, experiment_.model, experiment_.pipeline,
                                *loads(*analytic, draw));
}

std::vector<WorkloadTally> DrawCosts::tallies(std::uint32_t draw) const {
  const auto known = tallies_.find(draw);
  if (known != tallies_.end()) return known->second;
  std::vector<WorkloadTally> all;
  if (const auto* given = std::get_if<GivenCosts>(&experiment_.costs)) {
    for (const BlockProfile& block : given->blocks) {
      if (!block.image_work) continue;
      const auto sampled = samples_->sample(block.image_work->workload, draw_of(experiment_, draw));
      all.push_back(tally_of(sampled->loads, experiment_.pipeline));
    }
  } else {
    const auto& analytic = std::get<AnalyticExperiment>(experiment_.costs);
    all.push_back(loads(analytic, draw)->tally() * analytic.costs.equal_replicas);
  }
  return tallies_[draw] = std::move(all);
}

std::shared_ptr<const DrawLoads> DrawCosts::loads(const AnalyticExperiment& analytic,
                                                  std::uint32_t draw) const {
  auto& loads = loads_[draw];
  if (!loads) {
    const auto sampled = samples_->sample(workload_, draw_of(experiment_, draw));
    loads = std::make_shared<const DrawLoads>(
        draw_loads(analytic.costs, first_of(sampled->loads, experiment_.pipeline)));
  }
  return loads;
}

const GivenCosts& DrawCosts::drawn(const GivenCosts& given, std::uint32_t draw) const {
  const auto known = drawn_.find(draw);
  if (known != drawn_.end()) return known->second;
  return drawn_.emplace(draw, spillway::drawn(given, draw_of(experiment_, draw), *samples_)).first->second;
}

}  // namespace spillway
