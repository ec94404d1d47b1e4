// Layouts that follow from what layers take. Private to src/input.
#pragma once

#include "experiment/experiment.h"
#include "json/place.h"

namespace spillway {

// Settles what the schedules leave open until the whole job is read: devices of modules
// (draws/solved_modules.h), and segments (systems/dip.cpp). Parts of
// microbatches have to divide their samples. `schedules` is the list that
// they are in.
void settle(const Place& schedules, Experiment& experiment);

}  // namespace spillway
