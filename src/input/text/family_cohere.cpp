// Command R and Aya (transformers, models/cohere, cohere2): attention and feed-forward side by side behind
// one layer norm, which has no bias and so costs what an RMS norm does; embeddings are tied. In the newer
// models three of four layers attend to a window, and the fourth has no positions.
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_cohere(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.tie_word_embeddings = config.flag("tie_word_embeddings", true);
  GroupedQueryAttention attention = read_attention_with_biases(config, model.hidden_size, false);
  attention.output_bias = attention.qkv_bias;
  attention.head_norms = attention.joint_norms = config.flag("use_qk_norm", false);
  model.attention = attention;
  model.parallel = true;
  config.expect_word("hidden_act", {"silu"});
  return model;
}

constexpr std::uint32_t kWindowsOf = 4;  // Cohere2Config, sliding_window_pattern

TextModel read_cohere2(ConfigSection& config) {
  TextModel model = read_cohere(config);
  const auto rotated = std::get<GroupedQueryAttention>(model.attention);
  GroupedQueryAttention plain = rotated;
  plain.rotary = false;
  std::vector<std::uint8_t> kinds =
      read_kinds(config, "layer_types", model.num_hidden_layers, {"sliding_attention", "full_attention"});
  const char* key =
      config.has("sliding_window_pattern") ? "sliding_window_pattern" : "_sliding_window_pattern";
  const std::uint32_t pattern = config.size_or(key, key, kWindowsOf);
  if (kinds.empty()) kinds = every(config, key, pattern);
  config.expect_flag("layer_norm_bias", false);
  config.expect_flag("use_gated_activation", true);
  config.expect_flag("use_parallel_block", true);
  config.expect_flag("use_embedding_sharing", true);
  config.expect_flag("use_parallel_embedding", false);
  config.pass_over({"order_of_interleaved_layers", "position_embedding_type", "rotary_pct"});
  const std::uint32_t window = config.positive("sliding_window");
  set_layers(model, {{{rotated}, window}, {{plain}}}, kinds, {false});
  return model;
}

}  // namespace

extern const TextFamily kCohere = {{"cohere"}, read_cohere};
extern const TextFamily kCohere2 = {{"cohere2"}, read_cohere2};

}  // namespace spillway
