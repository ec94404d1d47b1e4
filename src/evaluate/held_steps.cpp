#include "evaluate/held_steps.h"

#include "base/error.h"
#include "evaluate/steps.h"

namespace spillway {

std::vector<HeldStep> held_steps(const Evaluation& evaluation, Seconds measured) {
  ensure(measured > Seconds(), "a measured step takes time");
  std::vector<HeldStep> held;
  for (const ScheduleResult& schedule : evaluation.schedules)
    held.push_back({schedule.name, mean_makespan(schedule), schedule.interval, measured});
  return held;
}

}  // namespace spillway
