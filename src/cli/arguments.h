// Options that several commands share.
#pragma once

#include <string>
#include <vector>

#include "api/experiment_input.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace spillway {

void add_experiment(CLI::App& command, ExperimentArguments& arguments);

// Adds --engine.
void add_engines(CLI::App& command, std::vector<std::string>& engines);

// Refuses what is no whole number of 64 bits.
void check_seed(CLI::Option& seed);

}  // namespace spillway
