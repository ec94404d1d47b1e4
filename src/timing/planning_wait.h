// The time that a step waits for its plan. Each step is planned from its own sizes while the step before
// runs.
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

// The exposed planning time by step, in the order in which they run. The last step is taken to run before the
// first.
std::vector<Seconds> exposed_planning(std::span<const Seconds> makespans, Seconds planning);

// Delays the step by `exposed`; its ranks are idle meanwhile.
void wait_for_plan(Seconds exposed, StepFigures& step);

// The timeline shifted by `by`.
Timeline delayed(Timeline timeline, Seconds by);

// Calls wait(exposed, step) for each step. The makespans are those without the wait.
template <class Step, class MakespanOf, class Wait>
void wait_for_plans(Seconds planning, std::vector<Step>& steps, MakespanOf makespan_of, Wait wait) {
  std::vector<Seconds> makespans;
  for (const Step& step : steps) makespans.push_back(makespan_of(step));
  const std::vector<Seconds> exposed = exposed_planning(makespans, planning);
  for (std::size_t i = 0; i < steps.size(); ++i) wait(exposed[i], steps[i]);
}

}  // namespace spillway
