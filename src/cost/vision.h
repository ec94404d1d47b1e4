// What the vision towers of the Qwen family have in common.
#pragma once

#include <cstdint>

#include "cost/layer.h"

namespace spillway {

inline constexpr std::uint32_t kMostPatchSide = 4096;
inline constexpr double kMostMlpRatio = 1024;

// What a patch is embedded from: frames x side x side pixels of so many channels.
inline std::uint64_t patch_elements(std::uint32_t channels, std::uint32_t frames, std::uint32_t side) {
  return std::uint64_t{channels} * frames * side * side;
}

// A pre-norm layer with biases; attention over all patches of one image. Costs per patch.
Layer vision_layer(std::uint32_t width, std::uint32_t heads, std::uint32_t inner);

// A norm of every patch, then two products over merge x merge patches side by side. Costs per patch.
Layer patch_merger(std::uint32_t width, std::uint32_t merge, std::uint32_t output_width);

}  // namespace spillway
