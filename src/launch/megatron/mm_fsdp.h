// MindSpeed-MM's models under FSDP2, whose network is a config.json of Hugging Face.
#pragma once

#include <optional>
#include <string>

#include "launch/command/arguments.h"
#include "launch/megatron/model.h"

namespace spillway {

// The folder of the config.json, and where it is stated; nothing if the settings state the network
// themselves.
struct MmModelFolder {
  std::string name, place;
};
std::optional<MmModelFolder> mm_model_folder(Arguments& arguments);

// How the tower of the config.json is trained.
MegatronEncoder mm_encoder_of_file(Arguments& arguments);

// True if the language model is trained.
bool mm_trains_backbone(Arguments& arguments);

// Returns the terms of the framework that the settings replace: the kind of checkpoints, waits, parameters kept
// after a forward.
Object mm_fsdp_changes(Arguments& arguments);

}  // namespace spillway
