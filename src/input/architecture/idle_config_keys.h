// Keys of a config.json that have no part in what a training step computes and keeps: how text is made of the
// model, which tokens mean what, how weights are first drawn, where positions are, what a checkpoint was
// stored in. Private to src/input.
#pragma once

#include <string_view>

namespace spillway {

bool is_idle_config_key(std::string_view key);

}  // namespace spillway
