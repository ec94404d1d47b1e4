// Devices, batch and pipeline of torchtitan's settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/command/arguments.h"
#include "launch/command/experiment.h"

namespace spillway {

struct TitanLayout {
  std::uint32_t tensor = 1, context = 1, expert = 1, expert_tensor = 1;
  std::uint32_t replicas = 1, microbatches = 1, microbatch_size = 1, sequence_tokens = 1;
  std::uint32_t shards = 1;  // neighbouring copies that share out parameters; 1: none (DDP)
  LaunchPipeline pipeline = {};
  std::vector<std::string> assumptions = {};
};

TitanLayout read_titan_layout(Arguments& settings, std::optional<std::uint32_t> devices, std::uint32_t layers,
                              bool has_experts);

}  // namespace spillway
