// Settings of MindSpeed-MM as arguments of Megatron-LM: of its YAML, which a script gives to
// pretrain_transformers.py (gpt_args, data, model) or to its own FSDP2 trainer (parallel, data, model,
// features, training), and of model.json, data.json and fsdp2_config.yaml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/command/arguments.h"
#include "launch/command/launch_options.h"

namespace spillway {

// True for a command of pretrain_transformers.py or trainer.py with a YAML.
bool is_mm(const LaunchCommand& command);
// True for the settings of such a YAML.
bool is_mm_configuration(const std::vector<LaunchArgument>& settings);

// The arguments of the YAML that a command names, then its own.
std::vector<LaunchArgument> mm_arguments(const LaunchCommand& command, const std::string& script,
                                         const LaunchOptions& options, Findings& findings);
// "gpt_args.seq_length" is --seq-length, "training.micro_batch_size" is --micro-batch-size, "model.X" is
// "mm.X", "data.X" is "mm-data.X". The name as it was written is kept for messages.
std::vector<LaunchArgument> mm_as_megatron(std::vector<LaunchArgument> settings);

// A setting of a named file, with the prefix before its name.
LaunchArgument mm_setting(LaunchArgument setting, std::string_view prefix);

// True for a model that recomputes every layer by itself, whatever the settings say.
bool recomputes_every_layer(const std::vector<LaunchArgument>& arguments);

// Adds Megatron's arguments for the layers of the language model that FSDP2 or the model itself recomputes.
void add_fsdp_recomputation(std::vector<LaunchArgument>& arguments);

}  // namespace spillway
