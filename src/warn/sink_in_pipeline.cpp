#include <algorithm>

#include "evaluate/fit.h"
#include "evaluate/memory_limit.h"
#include "evaluate/point.h"
#include "evaluate/steps.h"
#include "experiment/derive_options.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

constexpr double kWorthSaying = 0.01;  // relative gain of a step

bool is_transpose(const Skeleton& skeleton) {
  return layout_of(skeleton) == Layout::Replicated;
}

}  // namespace

std::optional<ScheduleSpec> with_sink_in_pipeline(const Experiment& experiment,
                                                  const ScheduleSpec& schedule) {
  ScheduleSpec kept = schedule;
  std::vector<Skeleton>& skeletons = kept.schedule.skeletons;
  const auto last = std::find_if_not(skeletons.rbegin(), skeletons.rend(), is_transpose).base();
  if (last == skeletons.begin() || last == skeletons.end()) return std::nullopt;
  kept.cut.boundaries.resize(kept.cut.boundaries.size() - static_cast<std::size_t>(skeletons.end() - last));
  skeletons.erase(last, skeletons.end());
  if (is_listed(skeletons.back())) return std::nullopt;
  kept.layers_per_rank.clear();
  kept.split = StageSplit::Balanced;
  if (!check_derive(experiment, kept).empty()) return std::nullopt;
  return kept;
}

std::vector<Warning> sink_warnings(Experiment experiment, const ScheduleSpec& schedule,
                                   const std::vector<FittedParameter>& fitted) {
  const std::optional<ScheduleSpec> kept = with_sink_in_pipeline(experiment, schedule);
  if (!kept) return {};
  experiment = with_fitted(std::move(experiment), fitted);
  experiment.schedules = {schedule, *kept};
  experiment.baseline = 0;
  Caches caches;
  const PointOutcome both = evaluate_point(experiment, caches);
  const Seconds transposed = mean_makespan(both.schedules[0]), left = mean_makespan(both.schedules[1]);
  const bool gains = transposed > left * (1 + kWorthSaying);
  if (!gains || fits(both.schedules[1].peak_memory, both.memory_limit) == false) return {};
  return {{"transposed-sink",
           "the last region would be faster in the pipeline than transposed: " + seconds_text(left) +
               " instead of " + seconds_text(transposed) + " by the longest path, with the schedule " +
               to_string(kept->schedule) + " and layers split by their time (\"split\": \"balanced\")"}};
}

}  // namespace spillway
