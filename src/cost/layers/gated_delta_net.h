// Linear attention by the gated delta rule (Yang et al. 2024, arXiv 2412.06464), as in Qwen3.5's linear
// layers (transformers, models/qwen3_5).
#pragma once

#include <cstdint>

#include "cost/layers/layer.h"

namespace spillway {

struct GatedDeltaNet {
  std::uint32_t linear_conv_kernel_dim = 0;
  std::uint32_t linear_key_head_dim = 0;
  std::uint32_t linear_value_head_dim = 0;
  std::uint32_t linear_num_key_heads = 0;
  std::uint32_t linear_num_value_heads = 0;

  friend bool operator==(const GatedDeltaNet&, const GatedDeltaNet&) = default;
};

// From the normed hidden state to what is added to it; without norm, residual and collectives.
Layer attention_of(const GatedDeltaNet& net, std::uint64_t hidden_size);

}  // namespace spillway
