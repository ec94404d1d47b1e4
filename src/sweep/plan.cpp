#include "sweep/plan.h"

#include <algorithm>
#include <utility>

#include "spec/derive_options.h"
#include "sweep/expectations.h"
#include "sweep/layer_split.h"
#include "sweep/owner_plan.h"

namespace spillway {
namespace {

// Expectations are means over this many planning draws.
constexpr std::uint32_t kPlanningSamples = 4;

// The draws that stand for what is expected: one alone, or planning draws.
std::vector<std::uint32_t> judged_draws(const DrawCosts& costs, std::optional<std::uint32_t> draw) {
  if (draw) return {*draw};
  if (!draws_differ(costs.experiment())) return {0};
  std::vector<std::uint32_t> draws;
  for (std::uint32_t i = 0; i < kPlanningSamples; ++i) draws.push_back(kPlanningDraws + i);
  return draws;
}

bool any_plans(const Schedule& schedule) {
  return std::any_of(schedule.skeletons.begin(), schedule.skeletons.end(),
                     [](Skeleton skeleton) { return plans(skeleton); });
}

}  // namespace

PlannedSchedule plan(const DrawCosts& costs, OrderCache& orders, const ScheduleSpec& schedule,
                     std::optional<std::uint32_t> draw) {
  const Experiment& experiment = costs.experiment();
  const std::vector<std::uint32_t> draws = judged_draws(costs, draw);
  DeriveOptions options = derive_options(experiment, schedule);
  options.layers_per_rank = planned_layers(costs, schedule, draws);
  const auto prepared = [&] {
    return orders.derive(experiment.model, schedule.schedule, schedule.cut, options);
  };
  if (any_plans(schedule.schedule)) options.expected = expectations_of(costs, prepared()->derived, draws);
  const std::shared_ptr<const PreparedOrder> unmapped = prepared();
  if (unmapped->derived.placement.front().layout != Layout::Replicated)
    return {unmapped, options.layers_per_rank, options.expected, std::nullopt};
  const bool alike = !draw && std::holds_alternative<AnalyticExperiment>(experiment.costs);
  // Maps that are only tried are not kept.
  const auto derive_with = [&](const OwnerMap& owner) {
    DeriveOptions tried = options;
    tried.owners = {owner};
    return derive(experiment.model, schedule.schedule, schedule.cut, tried);
  };
  OwnerChoice choice = plan_owner({costs, schedule, draws, alike}, *unmapped, derive_with);
  options.owners = {choice.owner};
  return {prepared(), options.layers_per_rank, options.expected, std::move(choice)};
}

}  // namespace spillway
