#include "evaluate/straddling.h"

#include <algorithm>
#include <string>

#include "cost/analytic_costs.h"
#include "evaluate/fit.h"
#include "evaluate/point.h"
#include "evaluate/step_mean.h"

namespace spillway {
namespace {

// What aligning gives is said to a few per cent; so many draws do.
constexpr std::uint32_t kDraws = 4;

std::vector<StraddlingGroups> straddling_groups(const AnalyticCosts& costs, const Pipeline& pipeline) {
  const DeviceGrid grid = device_grid(costs, pipeline);
  const Parallelism& parallel = costs.parallelism;
  const std::uint32_t devices = grid.device_count(), stage = grid.replicas * grid.members;
  std::vector<StraddlingGroups> all;
  const auto add = [&](const char* what, std::uint32_t size) {
    if (size < 2) return;
    if (const auto torn = straddling(costs.platform, what, size, devices / size)) all.push_back(*torn);
  };
  add("tensor-parallel groups", parallel.tensor);
  if (parallel.context > 1) add("context-parallel groups", parallel.members());
  if (parallel.expert > parallel.members()) add("expert-parallel groups", parallel.expert);
  if (grid.replicas > 1) add("stages' data-parallel groups", stage);
  return all;
}

// "mpipe 1.23 s for 2.83 s".
std::string gains(const PointOutcome& as_it_is, const PointOutcome& aligned) {
  std::string text;
  for (std::size_t i = 0; i < aligned.schedules.size(); ++i)
    text += (i > 0 ? ", " : "") + aligned.schedules[i].name + ' ' +
            seconds_text(mean_makespan(aligned.schedules[i])) + " for " +
            seconds_text(mean_makespan(as_it_is.schedules[i]));
  return text;
}

std::string torn_text(const StraddlingGroups& groups, const Tier& tier) {
  return std::to_string(groups.torn) + " of " + std::to_string(groups.of) + ' ' + groups.what + " of " +
         std::to_string(groups.size) + " devices lie across a " + tier.name + " of " +
         std::to_string(tier.devices);
}

// What the step would be; nothing where the platform cannot keep them together, or is too small for it.
std::string remedy(Experiment experiment, const StraddlingGroups& groups) {
  auto& costs = std::get<AnalyticExperiment>(experiment.costs).costs;
  const std::uint32_t devices = device_grid(costs, experiment.pipeline).device_count();
  const std::optional<Platform> whole = with_whole_groups(costs.platform, groups.tier, groups.size);
  if (!whole || whole->device_count() < devices)
    return "; groups whose size divides that number, or a larger cluster with some of it left empty, would "
           "not";
  Caches caches;
  const PointOutcome as_it_is = evaluate_point(experiment, caches);
  const std::uint32_t used = whole->tiers[groups.tier].devices;
  costs.platform = *whole;
  return "; with whole groups on " + std::to_string(used) +
         " devices of each, the others empty, the longest path is " +
         gains(as_it_is, evaluate_point(experiment, caches));
}

}  // namespace

std::optional<StraddlingGroups> straddling(const Platform& platform, const char* what, std::uint32_t size,
                                           std::uint32_t count) {
  const auto tier = std::find_if(platform.tiers.begin(), platform.tiers.end(),
                                 [&](const Tier& one) { return one.devices >= size; });
  if (tier == platform.tiers.end() || tier->devices % size == 0) return std::nullopt;
  StraddlingGroups groups{what, size, static_cast<std::size_t>(tier - platform.tiers.begin()), 0, count};
  for (std::uint32_t group = 0; group < count; ++group) {
    const std::uint64_t first = std::uint64_t{group} * size, last = first + size - 1;
    groups.torn += first / tier->devices != last / tier->devices;
  }
  return groups.torn > 0 ? std::optional(groups) : std::nullopt;
}

std::optional<Platform> with_whole_groups(Platform platform, std::size_t tier, std::uint32_t size) {
  const std::uint32_t all = platform.tiers[tier].devices, used = all / size * size;
  for (std::size_t i = tier; i < platform.tiers.size(); ++i) {
    Tier& cut = platform.tiers[i];
    cut.devices = cut.devices / all * used;
    std::erase_if(cut.collectives,
                  [&](const MeasuredCollective& sweep) { return sweep.devices > cut.devices; });
  }
  return check_platform(platform).empty() ? std::optional(std::move(platform)) : std::nullopt;
}

std::vector<Warning> straddling_warnings(const Experiment& experiment) {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment.costs);
  if (!analytic) return {};
  const AnalyticCosts& costs = analytic->costs;
  std::vector<Warning> warnings;
  for (const StraddlingGroups& groups : straddling_groups(costs, experiment.pipeline))
    warnings.push_back({"straddling", torn_text(groups, costs.platform.tiers[groups.tier]) +
                                          "; spillway run says what the step takes with whole groups"});
  return warnings;
}

std::vector<Warning> priced_straddling_warnings(Experiment experiment,
                                                const std::vector<FittedParameter>& fitted) {
  if (!std::holds_alternative<AnalyticExperiment>(experiment.costs)) return {};
  experiment = with_fitted(std::move(experiment), fitted);
  experiment.draws = std::min(experiment.draws, kDraws);
  const AnalyticCosts& costs = std::get<AnalyticExperiment>(experiment.costs).costs;
  std::vector<Warning> warnings;
  for (const StraddlingGroups& groups : straddling_groups(costs, experiment.pipeline))
    warnings.push_back(
        {"straddling", torn_text(groups, costs.platform.tiers[groups.tier]) + remedy(experiment, groups)});
  return warnings;
}

}  // namespace spillway
