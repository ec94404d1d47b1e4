// An experiment from the parts of a Megatron command line.
#pragma once

#include <string>
#include <vector>

#include "json/node.h"
#include "launch/command/launch_options.h"
#include "launch/megatron/flavour.h"
#include "launch/megatron/layout.h"
#include "launch/megatron/model.h"
#include "launch/megatron/training.h"

namespace spillway {

// `architecture` is a path or a shipped name, as the experiment states it.
Object megatron_experiment(const std::string& name, const MegatronLayout& layout, const MegatronModel& model,
                           const MegatronTraining& training, MegatronFlavour flavour,
                           const LaunchOptions& options, const std::string& architecture,
                           const std::vector<std::string>& assumptions);

// The shipped framework that runs as the arguments say.
std::string megatron_framework(const MegatronTraining& training, MegatronFlavour flavour, bool has_experts);

}  // namespace spillway
