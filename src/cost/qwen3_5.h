// Qwen3.5 dense models (transformers, models/qwen3_5): a hybrid text stack in which every
// full_attention_interval-th layer has gated softmax attention and the others a gated delta net, and a vision
// tower as in Qwen3-VL. The multi-token-prediction layer is not counted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "cost/layer.h"

namespace spillway {

// "text_config" of the config.json.
struct Qwen35Text {
  std::uint32_t vocab_size;
  std::uint32_t hidden_size;
  std::uint32_t intermediate_size;
  std::uint32_t num_hidden_layers;
  std::uint32_t num_attention_heads;
  std::uint32_t num_key_value_heads;
  std::uint32_t head_dim;
  std::uint32_t full_attention_interval;
  std::uint32_t linear_conv_kernel_dim;
  std::uint32_t linear_key_head_dim;
  std::uint32_t linear_value_head_dim;
  std::uint32_t linear_num_key_heads;
  std::uint32_t linear_num_value_heads;
};

// "vision_config" of the config.json.
struct Qwen35Vision {
  std::uint32_t depth;
  std::uint32_t hidden_size;
  std::uint32_t intermediate_size;
  std::uint32_t num_heads;
  std::uint32_t in_channels;
  std::uint32_t patch_size;
  std::uint32_t temporal_patch_size;
  std::uint32_t spatial_merge_size;
  std::uint32_t out_hidden_size;  // what the merger puts out: the backbone's width
  std::uint32_t num_position_embeddings;
};

std::vector<Layer> layers_of(const Qwen35Text& model);
std::vector<Layer> layers_of(const Qwen35Vision& vit);
std::vector<Violation> check_architecture(const Qwen35Text& model);
std::vector<Violation> check_architecture(const Qwen35Vision& vit);

}  // namespace spillway
