// MindSpeed-MM's files beside Megatron's arguments: model.json has the network, data.json the bounds of
// images.
#pragma once

#include <string>
#include <vector>

#include "launch/command/arguments.h"
#include "launch/command/launch_options.h"

namespace spillway {

// The arguments, and behind them the settings of the files that --mm-model and --mm-data name: "mm.NAME" and
// "mm-data.NAME". Layers of pipeline ranks and recomputation are Megatron's arguments. Without --mm-model, or
// with options.architecture, the arguments alone.
std::vector<LaunchArgument> with_mm_files(std::vector<LaunchArgument> arguments, const std::string& script,
                                          const LaunchOptions& options, Findings& findings);

}  // namespace spillway
