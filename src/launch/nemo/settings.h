// NeMo's YAML of language models (megatron_gpt_config.yaml and what is built on it) as arguments of
// Megatron-LM.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "launch/command/arguments.h"

namespace spillway {

// True for settings of NeMo's trainer and model.
bool is_nemo(const std::vector<LaunchArgument>& settings);

// Settings that are equal but for their name are renamed; the others keep their names.
std::vector<LaunchArgument> nemo_as_megatron(std::vector<LaunchArgument> settings);

// trainer.devices x trainer.num_nodes; nothing if they are not whole numbers.
std::optional<std::uint32_t> nemo_devices(const std::vector<LaunchArgument>& settings);

// Settings that change nothing a step computes, keeps or sends, as patterns. Source: the comments of
// NVIDIA/NeMo @8cfedd7203, examples/nlp/language_modeling/conf/megatron_gpt_config.yaml.
std::span<const std::string_view> idle_nemo_settings();

}  // namespace spillway
