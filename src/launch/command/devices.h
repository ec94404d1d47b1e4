// The devices of a job, from its launcher.
#pragma once

#include <cstdint>
#include <optional>

#include "launch/command/arguments.h"
#include "launch/command/launch_options.h"

namespace spillway {

// Devices of a node x nodes, by torchrun, torch.distributed.launch, deepspeed, ms-swift's environment and
// #SBATCH lines. Nothing if they are not stated; the finding then says what to give.
std::optional<std::uint32_t> devices_of(const LaunchCommand& command, const ScriptReading& script,
                                        const LaunchOptions& options, Findings& findings);

}  // namespace spillway
