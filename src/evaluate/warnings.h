// What is to be said of every schedule of an experiment.
#pragma once

#include <vector>

#include "base/warning.h"
#include "draws/costs.h"

namespace spillway {

// What the readers found, then what follows from costs and draws. `run`, `explain` and sweeps print them.
std::vector<Warning> warnings_of(const DrawCosts& costs);

// What makes the times of one platform no measure for those of another; empty where durations are given.
//   at-peak               it has neither measured products nor an efficiency of them, and a block has none of
//   its own sustained-not-stated  it does not say what of an operator's rate a long run keeps, as others do
std::vector<Warning> platform_warnings(const Experiment& experiment);

// "no-effect", one for all keys of a name that change nothing for one reason.
std::vector<Warning> warnings_of(const std::vector<IdleKey>& idle);

}  // namespace spillway
