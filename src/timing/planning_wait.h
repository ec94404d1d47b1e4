// What a step waits for its plan, where each is planned from its own sizes while the step before runs.
//
//   step 1 |=========|      step 2 |=====|      planning of step 2 begins with step 1; what it takes beyond
//   plan 2 |..............|                     that step's makespan is charged to step 2
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "timing/step_figures.h"
#include "timing/timeline.h"

namespace spillway {

// By step, in the order in which they run; before the first one runs the last.
std::vector<Seconds> exposed_planning(std::span<const Seconds> makespans, Seconds planning);

// The step begins as much later: its ranks do nothing meanwhile.
void wait_for_plan(Seconds exposed, StepFigures& step);

// All of it as much later.
Timeline delayed(Timeline timeline, Seconds by);

// wait(exposed, step) for each of the steps, whose makespans are as they would be without.
template <class Step, class MakespanOf, class Wait>
void wait_for_plans(Seconds planning, std::vector<Step>& steps, MakespanOf makespan_of, Wait wait) {
  std::vector<Seconds> makespans;
  for (const Step& step : steps) makespans.push_back(makespan_of(step));
  const std::vector<Seconds> exposed = exposed_planning(makespans, planning);
  for (std::size_t i = 0; i < steps.size(); ++i) wait(exposed[i], steps[i]);
}

}  // namespace spillway
