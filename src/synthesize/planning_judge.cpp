#include "synthesize/planning_judge.h"

#include <algorithm>
#include <numeric>

#include "draws/planning_draws.h"
#include "memory/peak_memory.h"

namespace spillway {
namespace {

std::vector<std::uint32_t> planning_draws(const Experiment& experiment, std::uint32_t first,
                                          std::uint32_t count) {
  if (!draws_differ(experiment)) return {0};
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), PlanningDraws::kFirst + first);
  return numbers;
}

}  // namespace

std::vector<std::uint32_t> searched_draws(const Experiment& experiment) {
  return planning_draws(experiment, 0, std::clamp(kLanes / experiment.pipeline.replicas, kFewest, kCompared));
}

std::vector<std::uint32_t> compared_draws(const Experiment& experiment) {
  return planning_draws(experiment, kCompared, kCompared);
}

PlannedFigures planned_figures(const DrawCosts& costs, const PlannedSchedule& planned,
                               std::optional<Bytes> limit) {
  const std::vector<std::uint32_t> draws = compared_draws(costs.experiment());
  const CostModels models = cost_models(costs, planned.derived(), draws);
  const DrawOrders as_sampled = order_draws(MicrobatchOrder::AsSampled, planned.derived(), models);
  const Seconds step = mean_makespan(*planned.prepared, OrderedDraws(models, as_sampled));
  if (!limit) return {step, std::nullopt, true};
  const Bytes peak = most_memory_of(planned.derived(), models, models.size());
  return {step, peak, peak <= *limit};
}

// Only data that waits for a pass needs the times of the draw.
Bytes most_memory_of(const Derived& derived, const CostModels& models, std::size_t draws) {
  Bytes most;
  const LongestPath longest_path(derived.order);
  for (std::size_t draw = 0; draw < std::min(draws, models.size()); ++draw) {
    const CostModel& model = *models[draw];
    most = std::max(most,
                    anything_waits(derived, model)
                        ? most_memory(derived, model, longest_path.timeline(price(derived, model).durations))
                        : most_memory(derived, model));
  }
  return most;
}

}  // namespace spillway
