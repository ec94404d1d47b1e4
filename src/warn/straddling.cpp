#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cost/placement.h"
#include "evaluate/fit.h"
#include "evaluate/point.h"
#include "evaluate/steps.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

// The number of draws for the gain of whole groups, which is accurate to a few per cent.
constexpr std::uint32_t kDraws = 4;

// Returns, for example, "mpipe 1.23 s instead of 2.83 s".
std::string gains(const PointOutcome& as_it_is, const PointOutcome& aligned) {
  std::string text;
  for (std::size_t i = 0; i < aligned.schedules.size(); ++i)
    text += (i > 0 ? ", " : "") + aligned.schedules[i].name + ' ' +
            seconds_text(mean_makespan(aligned.schedules[i])) + " instead of " +
            seconds_text(mean_makespan(as_it_is.schedules[i]));
  return text;
}

std::string torn_text(const StraddlingGroups& groups, const Tier& tier) {
  return std::to_string(groups.torn) + " of " + std::to_string(groups.of) + ' ' + groups.what + " of " +
         std::to_string(groups.size) + " devices span more than one " + tier.name + " (" +
         counted(tier.devices, "device") + ')';
}

// Returns what the step would take with whole groups, or other advice if the platform cannot keep groups
// together or is too small.
std::string remedy(Experiment experiment, const StraddlingGroups& groups) {
  auto& costs = *on_platform(experiment.costs);
  const std::uint32_t devices = device_grid(costs, experiment.pipeline).device_count();
  const std::optional<Platform> whole = with_whole_groups(costs.platform, groups.tier, groups.size);
  if (!whole || whole->device_count() < devices)
    return "; to avoid that, use groups whose size divides that number of devices, or a larger cluster with "
           "some devices left empty";
  Caches caches;
  const PointOutcome as_it_is = evaluate_point(experiment, caches);
  const std::uint32_t used = whole->tiers[groups.tier].devices;
  costs.platform = *whole;
  return "; with whole groups on " + std::to_string(used) +
         " devices of each and the others empty, the longest path is " +
         gains(as_it_is, evaluate_point(experiment, caches));
}

// Returns, for example, "64 of the 72 devices of a rack are used, so that no group spans two of them; ...".
std::string aligned_text(const AnalyticCosts& costs) {
  for (std::size_t i = 0; i < costs.platform.tiers.size(); ++i) {
    const std::uint32_t used = costs.platform.tiers[i].devices, all = costs.packed->tiers[i].devices;
    if (used == all) continue;
    return std::to_string(used) + " of the " + std::to_string(all) + " devices of a " +
           costs.packed->tiers[i].name +
           " are used, so that no group spans two of them; prices leave out the devices that stay empty";
  }
  throw ContractBreach("an aligned platform has a smaller tier");
}

std::string packed_takes(Experiment experiment) {
  auto& costs = *on_platform(experiment.costs);
  Caches caches;
  const PointOutcome aligned = evaluate_point(experiment, caches);
  costs.platform = *std::exchange(costs.packed, std::nullopt);
  return gains(aligned, evaluate_point(experiment, caches));
}

}  // namespace

std::vector<Warning> straddling_warnings(const Experiment& experiment) {
  const AnalyticCosts* priced = on_platform(experiment.costs);
  if (!priced) return {};
  const AnalyticCosts& costs = *priced;
  std::vector<Warning> warnings;
  for (const StraddlingGroups& groups : straddling_groups(costs, costs.platform, experiment.pipeline))
    warnings.push_back({"straddling", torn_text(groups, costs.platform.tiers[groups.tier]) +
                                          "; spillway run prints the step time with whole groups"});
  if (costs.packed) warnings.push_back({"aligned", aligned_text(costs)});
  return warnings;
}

std::vector<Warning> priced_straddling_warnings(Experiment experiment,
                                                const std::vector<FittedParameter>& fitted) {
  if (!on_platform(experiment.costs)) return {};
  experiment = with_fitted(std::move(experiment), fitted);
  experiment.draws = std::min(experiment.draws, kDraws);
  const AnalyticCosts& costs = *on_platform(experiment.costs);
  std::vector<Warning> warnings;
  for (const StraddlingGroups& groups : straddling_groups(costs, costs.platform, experiment.pipeline))
    warnings.push_back(
        {"straddling", torn_text(groups, costs.platform.tiers[groups.tier]) + remedy(experiment, groups)});
  if (costs.packed)
    warnings.push_back({"aligned", aligned_text(costs) +
                                       "; with /parallel/placement=packed the longest path is " +
                                       packed_takes(experiment)});
  return warnings;
}

}  // namespace spillway
