// Llama 4 (transformers, models/llama4): every interleave_moe_layer_step-th layer has experts, of which a
// token uses one chosen and one shared expert. Three of four layers attend within chunks. Norms of queries
// and keys have no weights.
#include <string>

#include "base/text.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr std::uint32_t kNoRopeInterval = 4;  // Llama4TextConfig, no_rope_layer_interval
constexpr std::uint32_t kUsualChunk = 8192;

// Reads the chunked layers: from layer_types if the file has them, otherwise from no_rope_layers (1: with
// positions, so chunked). Without both, every fourth layer is not chunked.
std::vector<bool> read_chunked(ConfigSection& config, std::uint32_t layers) {
  const std::uint32_t interval =
      config.size_or("no_rope_layer_interval", "no_rope_layer_interval", kNoRopeInterval);
  const std::vector<std::string> types = config.words("layer_types");
  const std::vector<std::uint32_t> with_positions = config.sizes("no_rope_layers");
  std::vector<bool> chunked;
  for (const std::string& type : types) chunked.push_back(type == "chunked_attention");
  if (types.empty())
    for (const std::uint32_t one : with_positions) chunked.push_back(one != 0);
  if (!chunked.empty() && chunked.size() != layers)
    config.refuse(types.empty() ? "no_rope_layers" : "layer_types", counted(layers, "layer"),
                  std::to_string(chunked.size()));
  if (chunked.empty())
    for (std::uint32_t i = 0; i < interval; ++i) chunked.push_back(i + 1 < interval);
  return chunked;
}

Experts read_experts(ConfigSection& config, std::uint32_t width) {
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_local_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = experts.shared_expert_intermediate_size = width;
  experts.n_shared_experts = 1;
  experts.decoder_sparse_step = config.size_or("decoder_sparse_step", "interleave_moe_layer_step", 1);
  return experts;
}

TextModel read_llama4(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.experts = read_experts(config, model.intermediate_size);
  model.intermediate_size = config.size("intermediate_size", "intermediate_size_mlp");
  GroupedQueryAttention attention = read_grouped_query_attention(config, model.hidden_size);
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  model.attention = attention;
  model.sliding_window = config.size_or("sliding_window", "attention_chunk_size", kUsualChunk);
  model.windowed = read_chunked(config, model.num_hidden_layers);
  model.window_blocks = true;
  config.expect_word("hidden_act", {"silu"});
  config.expect_empty("moe_layers");
  config.pass_over({"use_qk_norm", "attn_temperature_tuning", "attn_scale", "floor_scale"});
  return model;
}

// The output width is the backbone's hidden_size, which the file has in its text_config.
VisionTower read_llama4_tower(ConfigSection& config) {
  VisionTower tower = read_vision_transformer(config);
  const std::uint32_t image = config.size("image_size");
  const std::uint32_t side = tower.patch_size > 0 ? image / tower.patch_size : 0;
  tower.class_embeddings = 1;
  tower.num_position_embeddings = side * side + 1;
  tower.window_patches = side * side;
  tower.norm_before = tower.norm_after = true;
  tower.rule = {.by = Resizing::Tiles, .side = image};
  tower.rule.max_tiles = 16;  // Llama4ImageProcessor, max_patches
  tower.spatial_merge_size = read_inverse(config, "pixel_shuffle_ratio");
  tower.projector = {
      .norm = Projector::Norm::None,
      .biases = config.flag("multi_modal_projector_bias", false),
      .inner = std::vector{config.size("projector_input_dim"), config.size("projector_output_dim")}};
  config.expect_size("vision_output_dim", tower.projector.inner->back());
  tower.out_hidden_size = config.backbone_width();
  config.expect_word("hidden_act", {"gelu"});
  config.expect_whole("vision_feature_layer", -1);
  config.pass_over({"vision_feature_select_strategy"});  // "default": without the class token
  return tower;
}

}  // namespace

extern const TextFamily kLlama4 = {{"llama4_text", "llama4"}, read_llama4};
extern const VisionFamily kLlama4Tower = {
    {"llama4_vision_model", "llama4"},
    read_llama4_tower,
    {"A tile's class token (1 of 577) counts as a parameter, but its computing is left out.",
     "Images are cut into at most 16 tiles by InternVL's rule; the processor's own choice may differ."}};

}  // namespace spillway
