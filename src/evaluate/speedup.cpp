#include "evaluate/speedup.h"

#include "evaluate/memory_limit.h"
#include "evaluate/step_mean.h"

namespace spillway {

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
      if (transposes(schedule.derived->schedule) || fits(evaluation, schedule) == false) continue;
      if (!quickest || mean_makespan(schedule) < mean_makespan(*quickest)) quickest = &schedule;
    }
  return quickest;
}

}  // namespace spillway
