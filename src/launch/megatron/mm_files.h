// MindSpeed-MM's files beside Megatron's arguments: model.json has the network, data.json the bounds of
// images, and fsdp2_config.yaml says what FSDP2 recomputes.
#pragma once

#include <string>
#include <vector>

#include "launch/command/arguments.h"
#include "launch/command/launch_options.h"

namespace spillway {

// The arguments, and behind them the settings of the files that --mm-model, --mm-data and --fsdp2-config-path
// name: "mm.NAME", "mm-data.NAME" and "fsdp2.NAME". Layers of pipeline ranks and recomputation are Megatron's
// arguments. With options.architecture, a file that is not there is no finding.
std::vector<LaunchArgument> with_mm_files(std::vector<LaunchArgument> arguments, const std::string& script,
                                          const LaunchOptions& options, Findings& findings);

}  // namespace spillway
