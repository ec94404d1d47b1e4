// The network of a job as Megatron-LM's arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "launch/megatron/flavour.h"
#include "launch/write/answer.h"
#include "launch/write/job.h"
#include "launch/write/options.h"

namespace spillway {

// Layers of MindSpeed that compute nothing make stages of equal length.
struct NoopLayers {
  std::uint32_t layers = 0;  // all of them; 0: there are none that do nothing
  std::vector<std::uint32_t> noop = {};
  std::uint32_t dense_first = 0;  // first_k_dense_replace, with those between
};

// Adds to `lacks` if the arguments that `import` reads cannot state the network.
OptionGroup megatron_model(const LaunchJob& job, MegatronFlavour flavour, LaunchReasons& lacks,
                           const NoopLayers& noop = {});

// The tokens of the vocabulary that tensor parallelism splits, each device with equally many.
std::uint32_t padded_vocabulary(const LaunchJob& job);

}  // namespace spillway
