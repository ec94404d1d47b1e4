// Chooses the devices of a job's modules as DistTrain does (derive/module_allocation.h): from the expected
// times of its layers at tensor parallel sizes 1, 2, 4 and 8, and from the bytes they hold.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "experiment/experiment.h"

namespace spillway {

// The memory limit of the solver. The states of a module, and its activations of as many microbatches as it
// has ranks, take at most this share of a device's memory. The rest is for memory that is not counted then.
inline constexpr double kSolvedMemoryShare = 0.8;

// Returns the modules, input first, or violations with pointer /modules. Every stage of the schedule has a
// layer. Contract: the model begins with an encoder. Test: tests/systems/interleaved_modules_test.cpp.
std::variant<std::vector<PlacedModule>, std::vector<Violation>> solved_modules(const Experiment& experiment,
                                                                               const ScheduleSpec& schedule);

// Returns the number of ranks of each module that makes the slowest rank fastest, by the expected times of
// layers, split as evenly as possible. Among equals, the first module gets the fewest ranks. Modules share
// the job's ranks, and have its replicas and parallelism. The first module has `encoder_ranks` of the
// schedule, if stated. Empty if a module would have fewer layers than stages. Splits layers O(ranks^(modules
// - 1)) times. Test: tests/systems/interleaved_modules_test.cpp, against all numbers of ranks.
std::optional<std::vector<PlacedModule>> solved_ranks(const Experiment& experiment,
                                                      const ScheduleSpec& schedule);

}  // namespace spillway
