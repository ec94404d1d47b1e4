// The encoder that a model begins with.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace spillway {

// Layers before the first block that is no encoder.
std::uint32_t leading_encoder_layers(const Model& model);

}  // namespace spillway
