#include "timing/planning_wait.h"

#include <algorithm>

namespace spillway {

std::vector<Seconds> exposed_planning(std::span<const Seconds> makespans, Seconds planning) {
  std::vector<Seconds> exposed;
  for (std::size_t step = 0; step < makespans.size(); ++step) {
    const Seconds before = makespans[(step + makespans.size() - 1) % makespans.size()];
    exposed.push_back(std::max(Seconds(), planning - before));
  }
  return exposed;
}

void wait_for_plan(Seconds exposed, StepFigures& step) {
  if (exposed == Seconds()) return;
  const Seconds waited = step.makespan + exposed;
  step.bubble_fraction = 1 - (1 - step.bubble_fraction) * (step.makespan / waited);
  step.makespan = waited;
  step.exposed_planning = exposed;
}

Timeline delayed(Timeline timeline, Seconds by) {
  for (PerEvent<Seconds>* times : {&timeline.start, &timeline.end})
    for (Seconds& time : times->flat()) time += by;
  return timeline;
}

}  // namespace spillway
