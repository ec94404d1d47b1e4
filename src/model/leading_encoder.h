// The modules of a model, by the roles of its blocks: the encoder that it begins with, and the generator that
// it ends with.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"

namespace spillway {

// Layers before the first block that is no encoder.
std::uint32_t leading_encoder_layers(const Model& model);

// Layers of the leading encoder, of what is between, and of the generator behind it; none of what is not
// there.
std::vector<std::uint32_t> module_layers(const Model& model);

}  // namespace spillway
