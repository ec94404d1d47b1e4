// The settings of a torchtitan training: a TOML file, and arguments over it.
#pragma once

#include <string>
#include <vector>

#include "launch/command/arguments.h"
#include "launch/command/launch_options.h"

namespace spillway {

// True for torchtitan's train.py with a TOML file (--job.config_file).
bool is_titan(const LaunchCommand& command);

// True for settings in a section that torchtitan has ([model], [training], [parallelism], [job]).
bool is_titan_configuration(const std::vector<LaunchArgument>& settings);

// The file's settings, and after them those of the command.
std::vector<LaunchArgument> titan_settings(const LaunchCommand& command, const std::string& script,
                                           const LaunchOptions& options, Findings& findings);

}  // namespace spillway
