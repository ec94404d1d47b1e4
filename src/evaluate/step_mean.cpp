#include "evaluate/step_mean.h"

namespace spillway {

Seconds mean_makespan(const ScheduleResult& schedule) {
  Seconds sum;
  for (const DrawResult& draw : schedule.draws) sum += draw.makespan;
  return sum / static_cast<double>(schedule.draws.size());
}

}  // namespace spillway
