// The network that Megatron's arguments describe, before a family is chosen for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/command/arguments.h"

namespace spillway {

struct MegatronExperts {
  std::uint32_t routed = 0, chosen = 2, inner = 0;
  std::uint32_t shared_inner = 0;  // of all shared experts together; 0: none
  bool shared_gate = false, routing_bias = false;
  std::uint32_t groups = 1, chosen_groups = 1;
  std::uint32_t dense_first = 0;  // layers before the first mixture
};

struct MegatronLatents {  // multi-latent attention
  std::uint32_t queries = 0, keys = 32, head = 128, rotary_head = 64, value_head = 128;
};

struct MegatronShape {
  std::uint32_t layers = 0, width = 0, inner = 0, heads = 0, groups = 0, head = 0, vocabulary = 0,
                positions = 0;
  bool gated = false;       // SwiGLU; otherwise GELU
  bool rms_norm = false;    // otherwise LayerNorm
  bool rotary = false;      // otherwise learned positions, or none
  bool biases = true;       // of all products
  bool qkv_biases = false;  // of queries, keys and values
  bool head_norms = false;
  bool ties_vocabulary = true;
  std::optional<MegatronExperts> experts = {};
  std::optional<MegatronLatents> latents = {};
};

// `has_vocabulary` is false for a shape that needs none.
MegatronShape read_shape(Arguments& arguments);

// The padded vocabulary: --padded-vocab-size; or --vocab-size, a tokenizer of known size or a shipped
// model's, padded as --make-vocab-size-divisible-by says (megatron/training/vocab_utils.py).
std::uint32_t read_vocabulary(Arguments& arguments);

}  // namespace spillway
