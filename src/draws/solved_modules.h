// DistTrain's devices for the modules of a job (derive/module_allocation.h), from what its layers are
// expected to take under each tensor parallelism of 1, 2, 4 and 8, and what they hold.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "experiment/experiment.h"

namespace spillway {

// What a solver takes to fit: a module whose states, and activations of as many microbatches as it has ranks,
// take no more than this share of a device's memory. The rest is for what is not counted then.
inline constexpr double kSolvedMemoryShare = 0.8;

// Input first; or why there are none, pointers being /modules. Contract: the model begins with an encoder.
std::variant<std::vector<PlacedModule>, std::vector<Violation>> solved_modules(const Experiment& experiment);

// So many ranks for each module of the schedule that the rank that takes longest takes least, by what layers
// are expected to take and as evenly as layers go; of equals the fewest for the first. They share the job's
// ranks, and have its replicas and parallelism. The first has as many as `encoder_ranks` of the schedule
// states. Nothing where a module would have fewer layers than stages. O(ranks^(modules - 1)) splits of
// layers. Test: tests/systems/interleaved_modules_test.cpp, against every share.
std::optional<std::vector<PlacedModule>> solved_ranks(const Experiment& experiment,
                                                      const ScheduleSpec& schedule);

}  // namespace spillway
