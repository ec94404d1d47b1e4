// LFM2 (arXiv 2511.23404; transformers, models/lfm2, lfm2_moe): most layers have a short convolution between
// gates, the others attention with norms of queries and keys; first layers are dense if others have experts.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr Range kInnerFactor{.above = 0, .at_most = 1000, .expected = "a number above 0, at most 1000"};

std::vector<std::uint8_t> read_lfm2_layers(ConfigSection& config, std::uint32_t layers) {
  std::vector<std::uint8_t> kinds = read_kinds(config, "layer_types", layers, {"conv", "full_attention"});
  const std::vector<std::uint32_t> listed = config.sizes("full_attn_idxs");
  if (!kinds.empty()) return kinds;
  kinds.assign(std::clamp(layers, 1U, kMostLayers), 0);
  for (const std::uint32_t layer : listed)
    if (layer < kinds.size()) kinds[layer] = 1;
  return kinds;
}

void read_lfm2_base(ConfigSection& config, TextModel& model) {
  model.vocab_size = config.size("vocab_size");
  model.hidden_size = config.size("hidden_size");
  model.num_hidden_layers = config.size("num_hidden_layers");
  model.tie_word_embeddings = config.flag("tie_word_embeddings", true) || config.flag("tie_embedding", false);
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.head_norms = true;
  model.attention = attention;
  config.pass_over({"tie_embedding", "norm_eps", "conv_use_xavier_init", "block_mlp_init_scale",
                    "block_out_init_scale", "block_norm_eps", "block_use_xavier_init", "use_pos_enc",
                    "theta"});
  config.expect_size("conv_dim", model.hidden_size);
  config.expect_size("conv_dim_out", model.hidden_size);
  config.expect_size("block_dim", model.hidden_size);
  config.expect_size("num_heads", attention.num_attention_heads);
}

void set_lfm2_layers(ConfigSection& config, TextModel& model, const std::vector<bool>& sparse) {
  const ShortConvolution convolution{config.size("conv_L_cache"), config.flag("conv_bias", false)};
  set_layers(model, {{{convolution}}, {{std::get<GroupedQueryAttention>(model.attention)}}},
             read_lfm2_layers(config, model.num_hidden_layers), sparse);
}

// Two thirds of the stated width, times a factor, rounded up (transformers, models/lfm2, Lfm2MLP).
std::uint32_t adjusted(ConfigSection& config, std::uint32_t width) {
  const std::uint32_t multiple = config.positive_or("block_multiple_of", 256);
  const double factor = config.has("block_ffn_dim_multiplier")
                            ? config.ratio("block_ffn_dim_multiplier", kInnerFactor).value_or(1)
                            : 1;
  if (!config.flag("block_auto_adjust_ff_dim", true)) return width;
  const auto inner = static_cast<std::uint64_t>(factor * static_cast<double>(2 * std::uint64_t{width} / 3));
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>((inner + multiple - 1) / multiple * multiple, kMostSize));
}

TextModel read_lfm2(ConfigSection& config) {
  TextModel model;
  read_lfm2_base(config, model);
  const std::uint32_t width =
      config.has("block_ff_dim") ? config.positive("block_ff_dim") : config.positive("intermediate_size");
  config.pass_over({"intermediate_size"});
  config.expect_flag("block_use_swiglu", true);
  model.intermediate_size = adjusted(config, width);
  set_lfm2_layers(config, model, {false});
  return model;
}

TextModel read_lfm2_moe(ConfigSection& config) {
  TextModel model;
  read_lfm2_base(config, model);
  model.intermediate_size = config.size("intermediate_size");
  model.experts = read_qwen_experts(config);
  model.experts->routing_bias = config.flag("use_expert_bias", true);
  model.experts->first_k_dense_replace = config.size_or("first_k_dense_replace", "num_dense_layers", 2);
  set_lfm2_layers(config, model, sparse_from(model, model.experts->first_k_dense_replace));
  return model;
}

}  // namespace

extern const TextFamily kLfm2 = {{"lfm2"}, read_lfm2};
extern const TextFamily kLfm2Moe = {{"lfm2_moe"}, read_lfm2_moe};

}  // namespace spillway
