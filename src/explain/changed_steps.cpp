#include "explain/changed_steps.h"

#include "base/error.h"
#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "explain/idle_setting.h"

namespace spillway {

std::optional<ChangedStep> ChangedSteps::of(const std::vector<Setting>& settings) {
  std::string key;
  for (const auto& [pointer, value] : settings) key += pointer + '=' + value + '\n';
  const auto known = known_.find(key);
  return known != known_.end() ? known->second : known_[key] = evaluated(settings);
}

std::optional<ChangedStep> ChangedSteps::evaluated(const std::vector<Setting>& settings) {
  try {
    const Experiment changed = read_again_(settings);
    if (is_idle(changed, settings)) return std::nullopt;
    const PointOutcome outcome = evaluate_point(with_fitted(changed, fitted_), caches_);
    const ScheduleOutcome& schedule = outcome.schedules.front();
    return ChangedStep{mean_makespan(schedule), fits(schedule.peak_memory, outcome.memory_limit)};
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const Infeasible&) {
    return std::nullopt;
  }
}

}  // namespace spillway
