#include "sweep/costs.h"

#include "sweep/fold.h"

namespace spillway {

std::unique_ptr<CostModel> DrawCosts::of(const Derived& derived, std::uint32_t draw) const {
  if (const auto* given = std::get_if<GivenCosts>(&experiment_.costs))
    return std::make_unique<GivenCostModel>(*given);
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

}  // namespace spillway
