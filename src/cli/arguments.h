// Options that several commands have.
#pragma once

#include <string>
#include <vector>

#include "api/experiment_input.h"

namespace CLI {
class App;
}

namespace spillway {

void add_experiment(CLI::App& command, ExperimentArguments& arguments);

// --engine.
void add_engines(CLI::App& command, std::vector<std::string>& engines);

}  // namespace spillway
