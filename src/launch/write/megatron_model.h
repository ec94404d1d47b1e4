// The network of a job as Megatron-LM's arguments.
#pragma once

#include "launch/megatron/flavour.h"
#include "launch/write/answer.h"
#include "launch/write/job.h"
#include "launch/write/options.h"

namespace spillway {

// Adds to `lacks` if the arguments that `import` reads cannot state the network.
OptionGroup megatron_model(const LaunchJob& job, MegatronFlavour flavour, LaunchReasons& lacks);

// The tokens of the vocabulary that tensor parallelism splits, each device with equally many.
std::uint32_t padded_vocabulary(const LaunchJob& job);

}  // namespace spillway
