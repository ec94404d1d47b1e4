// What is to be said of every schedule of an experiment.
#pragma once

#include <vector>

#include "base/warning.h"
#include "experiment/costs.h"

namespace spillway {

// What the readers found, then what follows from costs and draws. `run`, `explain` and sweeps print them.
std::vector<Warning> warnings_of(const DrawCosts& costs);

// "no-effect", one for all keys of a name that change nothing for one reason.
std::vector<Warning> warnings_of(const std::vector<IdleKey>& idle);

}  // namespace spillway
