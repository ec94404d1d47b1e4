// Checks and descriptions of the modules of a schedule.
#pragma once

#include <string>
#include <vector>

#include "derive/modules.h"
#include "experiment/experiment.h"

namespace spillway {

// Returns the violations of modules that do not fit a job: their devices do not add up to `devices`, their
// pipelines do not divide its microbatches, or a parallelism is refused. Pointers are /modules and
// /modules/N/.... Contract: the modules hold all blocks of the model, input first.
std::vector<Violation> check_modules(const std::vector<PlacedModule>& modules, const Pipeline& job,
                                     const JobCosts& costs, const Model& model);

// Returns the names of the module's blocks, joined with '+'.
std::string name_of(const PlacedModule& module, const Model& model);

// Returns a line for each module with its devices, and what the order covers.
std::vector<std::string> describe(const std::vector<PlacedModule>& modules, const Pipeline& job,
                                  const Model& model);

}  // namespace spillway
