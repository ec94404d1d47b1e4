#include "explain/would_help.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "draws/fold.h"
#include "evaluate/memory_limit.h"
#include "evaluate/point.h"
#include "evaluate/steps.h"

namespace spillway {
namespace {

std::uint64_t devices_of(const Experiment& job) {
  const std::uint64_t lanes = std::uint64_t{job.pipeline.ranks} * job.pipeline.replicas;
  return lanes * parallelism_of(job.costs).members();
}

// Of one device for one microbatch.
Seconds each(Seconds makespan, const Experiment& job) {
  const double microbatches = static_cast<double>(job.pipeline.microbatches) * job.pipeline.replicas;
  return makespan * (static_cast<double>(devices_of(job)) / microbatches);
}

// Of an experiment of one schedule.
PointOutcome outcome_of(Experiment job, const std::vector<FittedParameter>& fitted) {
  job = with_fitted(std::move(job), fitted);
  Caches caches;
  return evaluate_point(job, caches);
}

// Does the experiment, read again, say of a setting that it changes nothing?
bool is_idle(const Experiment& changed, const std::vector<Setting>& settings) {
  return std::ranges::any_of(settings, [&](const Setting& setting) {
    return std::ranges::find(changed.idle_keys, setting.pointer, &IdleKey::pointer) !=
           changed.idle_keys.end();
  });
}

std::string first_of(const InputError& bad) {
  const Violation& violation = bad.violations().front();
  return violation.pointer + ": expected " + violation.expected + ", found " + violation.found;
}

}  // namespace

std::vector<TriedChange> what_would_help(std::size_t schedule, const std::vector<FittedParameter>& fitted,
                                         const ReadAgain& read_again) {
  const Experiment experiment = read_again({});
  const Seconds as_is = each(mean_makespan(outcome_of(experiment, fitted).schedules.front()), experiment);
  std::vector<TriedChange> all;
  for (JobChange& change : changes_worth_trying(experiment, schedule)) {
    TriedChange tried{std::move(change)};
    try {
      const Experiment changed = read_again(tried.change.settings);
      if (is_idle(changed, tried.change.settings)) continue;
      const PointOutcome outcome = outcome_of(changed, fitted);
      tried.makespan = mean_makespan(outcome.schedules.front());
      tried.devices = devices_of(changed);
      tried.gain = 1 - each(tried.makespan, changed) / as_is;
      tried.fits = fits(outcome.schedules.front().peak_memory, outcome.memory_limit);
    } catch (const InputError& bad) {
      tried.refusal = first_of(bad);
    } catch (const Infeasible& none) {
      tried.refusal = none.what();
    }
    all.push_back(std::move(tried));
  }
  std::ranges::stable_sort(all, [](const TriedChange& a, const TriedChange& b) {
    return std::pair(!a.refusal.empty(), -a.gain) < std::pair(!b.refusal.empty(), -b.gain);
  });
  return all;
}

}  // namespace spillway
