// What a step waits for its plan, where each is planned from its own sizes while the step before runs.
//
//   step 1 |=========|      step 2 |=====|      planning of step 2 begins with step 1; what it takes beyond
//   plan 2 |..............|                     that step's makespan is charged to step 2
#pragma once

#include <span>
#include <vector>

#include "timing/step_figures.h"

namespace spillway {

// By step, in the order in which they run; before the first one runs the last.
std::vector<Seconds> exposed_planning(std::span<const Seconds> makespans, Seconds planning);

// The step begins as much later: its ranks do nothing meanwhile.
void wait_for_plan(Seconds exposed, StepFigures& step);

}  // namespace spillway
