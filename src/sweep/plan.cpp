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

bool any_plans(const Schedule& schedule) {
  return std::any_of(schedule.skeletons.begin(), schedule.skeletons.end(),
                     [](Skeleton skeleton) { return plans(skeleton); });
}

}  // namespace

std::vector<std::uint32_t> planning_draws(const Experiment& experiment) {
  if (!draws_differ(experiment)) return {0};
  std::vector<std::uint32_t> draws;
  for (std::uint32_t i = 0; i < kPlanningSamples; ++i) draws.push_back(kPlanningDraws + i);
  return draws;
}

bool microbatches_are_alike(const Experiment& experiment) {
  const auto* given = std::get_if<GivenCosts>(&experiment.costs);
  if (!given) return true;
  const auto drawn = [](const BlockProfile& block) { return block.image_work.has_value(); };
  const auto stated = [](const BlockProfile& block) {
    return !block.work.empty() || !block.measured_work.empty();
  };
  return std::any_of(given->blocks.begin(), given->blocks.end(), drawn) &&
         std::none_of(given->blocks.begin(), given->blocks.end(), stated);
}

void level(std::vector<Seconds>& encode) {
  Seconds sum;
  for (const Seconds time : encode) sum += time;
  std::fill(encode.begin(), encode.end(), sum / static_cast<double>(encode.size()));
}

PlannedSchedule plan(const DrawCosts& costs, OrderCache& orders, const ScheduleSpec& schedule,
                     std::optional<std::uint32_t> draw) {
  const Experiment& experiment = costs.experiment();
  const std::vector<std::uint32_t> draws = draw ? std::vector{*draw} : planning_draws(experiment);
  DeriveOptions options = derive_options(experiment, schedule);
  options.layers_per_rank = planned_layers(costs, schedule, draws);
  const auto prepared = [&] {
    return orders.derive(experiment.model, schedule.schedule, schedule.cut, options);
  };
  if (any_plans(schedule.schedule)) options.expected = expectations_of(costs, prepared()->derived, draws);
  const std::shared_ptr<const PreparedOrder> unmapped = prepared();
  if (unmapped->derived.placement.front().layout != Layout::Replicated)
    return {unmapped, options.layers_per_rank, options.expected, std::nullopt};
  const bool alike = !draw && microbatches_are_alike(experiment);
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
