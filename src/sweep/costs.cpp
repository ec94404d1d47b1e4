#include "sweep/costs.h"

#include "cost/measured_draws.h"
#include "sweep/fold.h"

namespace spillway {

bool draws_differ(const Experiment& experiment) {
  const auto* given = std::get_if<GivenCosts>(&experiment.costs);
  return !given || is_drawn(*given);
}

void DrawCosts::set_experiment(const Experiment& experiment) {
  experiment_ = experiment;
  drawn_.clear();  // these hold profiles, which may be what changed
}

std::unique_ptr<CostModel> DrawCosts::of(const Derived& derived, std::uint32_t draw) const {
  if (const auto* given = std::get_if<GivenCosts>(&experiment_.costs))
    return std::make_unique<GivenCostModel>(is_drawn(*given) ? drawn(*given, draw) : *given);
  const auto& analytic = std::get<AnalyticExperiment>(experiment_.costs);
  return std::make_unique<AnalyticCostModel>(analytic.costs, derived, loads(analytic, draw));
}

std::optional<StepAccount> DrawCosts::step_account(std::uint32_t draw) const {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment_.costs);
  if (!analytic) return std::nullopt;
  return spillway::step_account(analytic->costs, experiment_.model, experiment_.pipeline,
                                *loads(*analytic, draw)) *
         equal_replicas(experiment_);
}

std::shared_ptr<const DrawLoads> DrawCosts::loads(const AnalyticExperiment& analytic,
                                                  std::uint32_t draw) const {
  auto& loads = loads_[draw];
  if (!loads) {
    const Pipeline& pipeline = experiment_.pipeline;
    loads = std::make_shared<const DrawLoads>(draw_loads(
        analytic.costs,
        sample(analytic.workload, pipeline.microbatches, pipeline.replicas, experiment_.seed, draw)));
  }
  return loads;
}

const GivenCosts& DrawCosts::drawn(const GivenCosts& given, std::uint32_t draw) const {
  const auto known = drawn_.find(draw);
  if (known != drawn_.end()) return known->second;
  const Pipeline& pipeline = experiment_.pipeline;
  return drawn_
      .emplace(draw, spillway::drawn(given, pipeline.microbatches, pipeline.replicas, experiment_.seed, draw))
      .first->second;
}

}  // namespace spillway
