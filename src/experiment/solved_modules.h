// DistTrain's devices for the modules of a job (derive/module_allocation.h), from what its layers are
// expected to take under each tensor parallelism of 1, 2, 4 and 8, and what they hold.
#pragma once

#include <variant>
#include <vector>

#include "experiment/experiment.h"

namespace spillway {

// What a solver takes to fit: a module whose states, and activations of as many microbatches as it has ranks,
// take no more than this share of a device's memory. The rest is for what is not counted then.
inline constexpr double kSolvedMemoryShare = 0.8;

// Input first; or why there are none, pointers being /modules. Contract: the model begins with an encoder.
std::variant<std::vector<PlacedModule>, std::vector<Violation>> solved_modules(const Experiment& experiment);

}  // namespace spillway
