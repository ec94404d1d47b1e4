// Attention whose work grows linearly with the tokens: a state of fixed size instead of all tokens before.
#pragma once

#include <cstdint>

#include "cost/layers/layer.h"

namespace spillway {

// Linear attention by the gated delta rule (Yang et al. 2024, arXiv 2412.06464), as in Qwen3.5's linear
// layers (transformers, models/qwen3_5).
struct GatedDeltaNet {
  std::uint32_t linear_conv_kernel_dim = 0;
  std::uint32_t linear_key_head_dim = 0;
  std::uint32_t linear_value_head_dim = 0;
  std::uint32_t linear_num_key_heads = 0;
  std::uint32_t linear_num_value_heads = 0;

  friend bool operator==(const GatedDeltaNet&, const GatedDeltaNet&) = default;
};

// Kimi Delta Attention (arXiv 2510.26692; fla/layers/kda.py): the same rule with a decay for each channel.
// Decays and gates come through a product as narrow as a head, or from whole ones.
struct KimiDeltaAttention {
  std::uint32_t short_conv_kernel_size = 0;
  std::uint32_t num_heads = 0;
  std::uint32_t head_dim = 0;
  bool whole_products = false;

  friend bool operator==(const KimiDeltaAttention&, const KimiDeltaAttention&) = default;
};

// Mamba-2 (Dao and Gu 2024, arXiv 2405.21060; mamba_ssm/modules/mamba2.py; Megatron-LM,
// megatron/core/ssm/mamba_mixer.py). One product makes gates, values, B and C of each group, and a step per
// head. In the kernels that training runs (mamba_split_conv1d_scan_combined), a backward makes the outputs of
// the convolution again.
struct Mamba2 {
  std::uint32_t mamba_num_heads = 0;
  std::uint32_t mamba_head_dim = 0;
  std::uint32_t ssm_state_size = 0;
  std::uint32_t n_groups = 0;
  std::uint32_t conv_kernel = 0;
  std::uint32_t chunk_size = 0;
  bool projection_bias = false;
  bool convolution_bias = true;
  bool norm = true;  // of the gated output; otherwise it is only gated

  friend bool operator==(const Mamba2&, const Mamba2&) = default;
};

// Lightning attention (Qin et al. 2024, arXiv 2401.04658) as in MiniMax-01 (arXiv 2501.08313) and Ring-linear
// (arXiv 2510.19338): each head's state decays by a constant. The output is normed and gated.
struct LightningAttention {
  std::uint32_t num_attention_heads = 0;
  std::uint32_t head_dim = 0;
  bool activation = false;  // on queries, keys and values
  bool head_norms = false;
  bool rotary = false;
  bool biases = false;  // of queries, keys and values

  friend bool operator==(const LightningAttention&, const LightningAttention&) = default;
};

// A short convolution between two gates, all three of one product (LFM2, arXiv 2511.23404; transformers,
// models/lfm2).
struct ShortConvolution {
  std::uint32_t conv_L_cache = 0;  // tokens that the kernel covers
  bool biases = false;             // of both products and the convolution

  friend bool operator==(const ShortConvolution&, const ShortConvolution&) = default;
};

// The operators from the normed hidden state to the result that is added to it, without norm, residual and
// collectives.
Layer attention_of(const GatedDeltaNet& net, std::uint64_t hidden_size);
Layer attention_of(const KimiDeltaAttention& kda, std::uint64_t hidden_size);
Layer attention_of(const Mamba2& mamba, std::uint64_t hidden_size);
Layer attention_of(const LightningAttention& attention, std::uint64_t hidden_size);
Layer attention_of(const ShortConvolution& convolution, std::uint64_t hidden_size);

}  // namespace spillway
