#include "sweep/costs.h"

namespace spillway {

std::unique_ptr<CostModel> DrawCosts::of(const Derived& derived, std::uint32_t draw) const {
  if (const auto* given = std::get_if<GivenCosts>(&experiment_.costs))
    return std::make_unique<GivenCostModel>(*given);
  const auto& analytic = std::get<AnalyticExperiment>(experiment_.costs);
  auto& loads = loads_[draw];
  if (!loads) {
    const Pipeline& pipeline = experiment_.pipeline;
    loads = std::make_shared<const DrawLoads>(draw_loads(
        analytic.costs,
        sample(analytic.workload, pipeline.microbatches, pipeline.replicas, experiment_.seed, draw)));
  }
  return std::make_unique<AnalyticCostModel>(analytic.costs, derived, loads);
}

}  // namespace spillway
