// Keys of config.json that change nothing in any family. Keys that one family ignores are named by its
// reader. Private to src/input.
#pragma once

#include <string_view>

namespace spillway {

// Returns true if a key of config.json changes nothing that a training step computes or keeps. Such keys
// concern text generation, meanings of tokens, initial weights, positions, and the stored form of a
// checkpoint.
bool is_idle_config_key(std::string_view key);

}  // namespace spillway
