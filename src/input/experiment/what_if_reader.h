// Reads /what_if of an experiment. Private to src/input.
#pragma once

#include "experiment/experiment.h"
#include "json/place.h"

namespace spillway {

// `analytic`: blocks have architectures. Ports and ranks are checked later (check_what_if).
WhatIf read_what_if(const Fields& experiment, bool analytic, InnerCollectives collectives);

// Refuses a speed of a port that the platform does not have, and a straggler whose rank no schedule has.
// Contract: the modules of the schedules are settled.
void check_what_if(const Fields& fields, const Experiment& experiment);

}  // namespace spillway
