#include "evaluate/step_mean.h"

#include <cstdio>

namespace spillway {
namespace {

template <class Draws>
Seconds mean_of_draws(const Draws& draws) {
  Seconds sum;
  for (const auto& draw : draws) sum += draw.makespan;
  return sum / static_cast<double>(draws.size());
}

}  // namespace

Seconds mean_makespan(const ScheduleResult& schedule) {
  return mean_of_draws(schedule.draws);
}

Seconds mean_makespan(const ScheduleOutcome& schedule) {
  return mean_of_draws(schedule.draws);
}

std::string seconds_text(Seconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g s", time.value());
  return text;
}

}  // namespace spillway
