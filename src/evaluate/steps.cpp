#include "evaluate/steps.h"

#include <cstdio>

#include "evaluate/memory_limit.h"

namespace spillway {
namespace {

Seconds mean_of(const std::vector<Seconds>& makespans) {
  Seconds sum;
  for (const Seconds makespan : makespans) sum += makespan;
  return sum / static_cast<double>(makespans.size());
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
      if (transposes(schedule.derived->schedule) || fits(evaluation, schedule) == false) continue;
      if (!quickest || mean_makespan(schedule) < mean_makespan(*quickest)) quickest = &schedule;
    }
  return quickest;
}

}  // namespace spillway
