// Precision, recomputation, optimizer and communication of a Megatron command line, as keys of an experiment.
#pragma once

#include <string>
#include <vector>

#include "json/node.h"
#include "launch/command/arguments.h"
#include "launch/megatron/flavour.h"
#include "launch/megatron/layout.h"

namespace spillway {

struct MegatronTraining {
  Object parallel = {};  // keys of /parallel
  Object block = {};     // keys of /model/blocks/0
  bool fp16 = false;
  bool overlaps_gradients = false, overlaps_parameters = false;
  bool reduces_in_bf16 = false;
  bool captures_graphs = false;  // CUDA graphs of layers
  bool fuses_loss = false;       // Transformer Engine's, one kernel
  std::vector<std::string> assumptions = {};
};

MegatronTraining read_training(Arguments& arguments, MegatronFlavour flavour, const MegatronLayout& layout,
                               bool has_experts);

}  // namespace spillway
