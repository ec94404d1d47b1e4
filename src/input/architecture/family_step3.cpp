// Step3 (arXiv 2507.19427; sgl-project/sglang, models/step3_vl.py): queries from a latent, one key and value
// head for all, and experts in the layers that moe_layers_enum lists. The tower's patches are joined by two
// convolutions.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "input/architecture/families.h"

namespace spillway {
namespace {

// "4,5,6": the layers with experts. Reports a list with gaps, and one that goes beyond the layers.
void read_sparse_layers(ConfigSection& config, std::uint32_t layers, Experts& experts) {
  const std::string listed = config.word("moe_layers_enum");
  std::vector<std::uint32_t> sparse;
  for (std::size_t at = 0; at < listed.size(); at = listed.find_first_of(',', at + 1)) {
    const std::size_t begin = listed[at] == ',' ? at + 1 : at;
    sparse.push_back(static_cast<std::uint32_t>(std::strtoul(listed.c_str() + begin, nullptr, 10)));
  }
  const bool in_a_row = !sparse.empty() && sparse.back() < layers && sparse.front() <= sparse.back() &&
                        sparse.back() - sparse.front() + 1 == sparse.size() && std::ranges::is_sorted(sparse);
  if (!in_a_row)
    return config.refuse("moe_layers_enum", "layers in a row, as \"4,5,6\": others are not supported",
                         '"' + listed + '"');
  experts.first_k_dense_replace = sparse.front();
  experts.dense_at_end = layers - 1 - sparse.back();
}

Experts read_step3_experts(ConfigSection& config, std::uint32_t layers) {
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "moe_num_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok", "moe_top_k");
  experts.moe_intermediate_size = config.size("moe_intermediate_size");
  experts.n_shared_experts = 1;
  experts.shared_expert_intermediate_size =
      config.size_of_any("shared_expert_intermediate_size", {"share_expert_dim", "share_expert_dims"});
  read_sparse_layers(config, layers, experts);
  return experts;
}

TextModel read_step3(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention;
  attention.num_attention_heads = config.size("num_attention_heads");
  attention.num_key_value_heads =
      config.size_of_any("num_key_value_heads", {"num_key_value_heads", "num_attention_groups"});
  attention.head_dim = config.size("head_dim");
  attention.query_rank = config.size("query_rank", "share_q_dim");
  model.attention = attention;
  model.experts = read_step3_experts(config, model.num_hidden_layers);
  config.expect_word("hidden_act", {"silu"});
  config.expect_flag("use_moe", true);
  config.pass_over({"max_position_embedding", "max_seq_len", "norm_expert_weight"});
  return model;
}

VisionTower read_step3_tower(ConfigSection& config) {
  ConfigSection& whole = config.whole();
  VisionTower tower = read_vision_transformer(config);
  const std::uint32_t side = grid_side(config, tower);
  tower.class_embeddings = 1;
  tower.num_position_embeddings = side * side + 1;
  tower.window_patches = side * side;
  tower.patch_embedding_bias = true;
  tower.rotary = false;
  tower.out_hidden_size = config.backbone_width();
  tower.spatial_merge_size = 2 * whole.size_or("spatial_merge_size", "understand_projector_stride", 2);
  const std::uint32_t half = config.size("output_hidden_size");
  tower.projector = {.norm = Projector::Norm::None};
  tower.projector.stages = {{.width = half, .reads = 4 * tower.hidden_size, .patches = 4, .bias = true},
                            {.width = 2 * half, .reads = 9 * half, .bias = true},
                            {.width = tower.out_hidden_size, .bias = whole.flag("projector_bias", true)}};
  tower.rule = {.by = Resizing::Tiles, .side = side * tower.patch_size};
  whole.expect_size("understand_projector_stride", 2);
  config.expect_word("hidden_act", {"quick_gelu"});
  return tower;
}

constexpr std::array<std::string_view, 4> kAroundStep3 = {"understand_projector_stride", "projector_bias",
                                                          "image_token_len", "patch_token_len"};

}  // namespace

extern const TextFamily kStep3 = {{"step3_text", "step3_vl"}, read_step3};
extern const VisionFamily kStep3Tower = {
    {"step3_vision_encoder", "step3_vl"},
    read_step3_tower,
    {"A tile's class token counts as a parameter, but its computing is left out.",
     "Images are cut into tiles by InternVL's rule; the model's own windows may differ."},
    kAroundStep3};

}  // namespace spillway
