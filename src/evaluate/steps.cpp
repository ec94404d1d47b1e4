#include "evaluate/steps.h"

#include <algorithm>
#include <cstdio>

#include "evaluate/memory_limit.h"

namespace spillway {
namespace {

Seconds mean_of(const std::vector<Seconds>& makespans) {
  Seconds sum;
  for (const Seconds makespan : makespans) sum += makespan;
  return sum / static_cast<double>(makespans.size());
}

// One pipeline in its skeletons' own order, which takes microbatches whole and as they were drawn.
bool is_plain(const ScheduleResult& result) {
  const Derived& derived = *result.derived;
  const bool searched = !result.system.empty() && std::ranges::any_of(derived.schedule.skeletons, is_listed);
  return !transposes(derived.schedule) && !searched && derived.modules.empty() &&
         derived.regrouping.rule == Regrouping::Rule::AsDrawn;
}

}  // namespace

Seconds mean_makespan(const ScheduleResult& schedule) {
  std::vector<Seconds> makespans;
  for (const DrawResult& draw : schedule.draws) makespans.push_back(draw.step.makespan);
  return mean_of(makespans);
}

Seconds mean_makespan(const ScheduleOutcome& schedule) {
  return mean_of(schedule.makespans);
}

std::string seconds_text(Seconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g s", time.value());
  return text;
}

std::vector<double> speedups_over(const ScheduleResult& reference, const ScheduleResult& schedule) {
  std::vector<double> by_draw;
  for (std::size_t draw = 0; draw < schedule.draws.size(); ++draw)
    by_draw.push_back(speedup(reference.draws[draw].step.makespan, schedule.draws[draw].step.makespan));
  return by_draw;
}

const ScheduleResult* quickest_plain(const Evaluation& evaluation) {
  const ScheduleResult* quickest = nullptr;
  for (const auto* results : {&evaluation.schedules, &evaluation.references})
    for (const ScheduleResult& schedule : *results) {
      if (!is_plain(schedule) || fits(evaluation, schedule) == false) continue;
      if (!quickest || mean_makespan(schedule) < mean_makespan(*quickest)) quickest = &schedule;
    }
  return quickest;
}

}  // namespace spillway
