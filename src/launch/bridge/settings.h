// A recipe of Megatron-Bridge with a user's overrides, as arguments of Megatron-LM.
//
//   run_recipe.py --recipe qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config -tp 2 train.global_batch_size=512
//
// model.tensor_model_parallel_size is --tensor-model-parallel-size, and so on; the name as it was written is
// kept for messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/command/arguments.h"

namespace spillway {

// True for a command with a recipe's name (--recipe).
bool is_bridge(const LaunchCommand& command);

struct BridgeSettings {
  std::string model = {};                     // a shipped one
  std::optional<std::uint32_t> devices = {};  // of the recipe's name
  std::vector<LaunchArgument> arguments = {};
  std::vector<std::string> assumptions = {};
};

// A recipe that is not known is a finding. Of several the last one counts.
BridgeSettings bridge_settings(const std::vector<LaunchArgument>& arguments, const UnknownParts& unknowns,
                               Findings& findings);

// Settings by the names of NeMo's and Megatron-Bridge's configurations as arguments of Megatron-LM.
std::vector<LaunchArgument> as_megatron(std::vector<LaunchArgument> settings);

}  // namespace spillway
