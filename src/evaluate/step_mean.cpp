#include "evaluate/step_mean.h"

#include <cstdio>

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

}  // namespace spillway
