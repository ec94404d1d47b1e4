// SmolLM3 (transformers, models/smollm3): Llama without rotations in every fourth layer.
#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr std::uint32_t kRotationsEvery = 4;  // SmolLM3Config, no_rope_layer_interval

TextModel read_smollm3(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.tie_word_embeddings = config.flag_anywhere("tie_word_embeddings", true);
  GroupedQueryAttention rotated = read_attention_with_biases(config, model.hidden_size, false);
  rotated.output_bias = rotated.qkv_bias;
  GroupedQueryAttention plain = rotated;
  plain.rotary = false;
  model.attention = rotated;
  config.expect_word("hidden_act", {"silu"});
  config.expect_flag("mlp_bias", false);
  config.expect_flag("use_sliding_window", false);
  config.pass_over({"sliding_window"});
  expect_full_attention(config, model.num_hidden_layers);
  // Of each layer 1 if it rotates; otherwise every fourth does not.
  std::vector<std::uint8_t> rotates = read_bits(config, "no_rope_layers", model.num_hidden_layers);
  const std::uint32_t interval =
      config.size_or("no_rope_layer_interval", "no_rope_layer_interval", kRotationsEvery);
  if (rotates.empty()) {
    rotates = every(config, "no_rope_layer_interval", interval);
    for (std::uint8_t& one : rotates) one = !one;
  }
  set_layers(model, {{{plain}}, {{rotated}}}, rotates, {false});
  return model;
}

}  // namespace

extern const TextFamily kSmolLm3 = {{"smollm3"}, read_smollm3};

}  // namespace spillway
