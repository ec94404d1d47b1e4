// Options that several commands share.
#pragma once

#include <string>
#include <vector>

#include "api/experiment_input.h"

namespace CLI {
class App;
}

namespace spillway {

void add_experiment(CLI::App& command, ExperimentArguments& arguments);

// Adds --engine.
void add_engines(CLI::App& command, std::vector<std::string>& engines);

}  // namespace spillway
