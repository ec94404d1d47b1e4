// Modules of an experiment's schedule: what they have to be, and what is said of them.
#pragma once

#include <string>
#include <vector>

#include "derive/modules.h"
#include "experiment/experiment.h"

namespace spillway {

// Modules that do not fit a job: devices that do not add up to `devices`, pipelines that do not divide its
// microbatches, and what a parallelism refuses. Pointers are /modules and /modules/N/.... Contract: they are
// all blocks of the model, input first.
std::vector<Violation> check_modules(const std::vector<PlacedModule>& modules, const Pipeline& job,
                                     const JobCosts& costs, const Model& model);

// The blocks a module holds, joined with '+'.
std::string name_of(const PlacedModule& module, const Model& model);

// Which devices each has, and what the order covers: a line each.
std::vector<std::string> describe(const std::vector<PlacedModule>& modules, const Pipeline& job,
                                  const Model& model);

}  // namespace spillway
