// Shell scripts that start a training on every node of a job.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/write/job.h"
#include "launch/write/options.h"

namespace spillway {

// The devices of a node: the platform's node, or a number below it that divides the job's devices.
std::uint32_t devices_on_node(const LaunchJob& job);

// Returns "#!/bin/bash" and a comment with the job.
std::string script_comment(const LaunchJob& job, std::string_view software);

// Returns the same with torchrun's LAUNCH_ARGS. NODE_RANK and MASTER_ADDR are variables of the environment.
std::string script_head(const LaunchJob& job, std::string_view software);

// The arrays of the groups, and the command that starts `program` with them.
std::string script_body(const std::vector<OptionGroup>& groups, const std::string& program);

}  // namespace spillway
