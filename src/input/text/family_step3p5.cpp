// Step 3.5 Flash (arXiv 2602.10604; modeling_step3p5.py of the released files), which is also the language
// model of Step 3.7: three of four layers attend to a window with more heads, each head of queries has a
// gate, and most layers have experts.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

// Reads layers as a list of numbers, or as text with commas between them.
std::vector<bool> read_enumerated(ConfigSection& config, std::uint32_t layers) {
  std::vector<bool> sparse(std::clamp(layers, 1U, kMostLayers), !config.has("moe_layers_enum"));
  if (sparse[0]) {  // all but the first
    sparse[0] = false;
    return sparse;
  }
  std::vector<std::uint32_t> numbers;
  if (config.has_list("moe_layers_enum")) numbers = config.sizes("moe_layers_enum");
  for (const char letter : config.word("moe_layers_enum")) {
    if (letter == ',' || numbers.empty()) numbers.push_back(0);
    if (letter >= '0' && letter <= '9' && numbers.back() < kMostLayers)
      numbers.back() = 10 * numbers.back() + static_cast<std::uint32_t>(letter - '0');
  }
  for (const std::uint32_t layer : numbers)
    if (layer < sparse.size()) sparse[layer] = true;
  return sparse;
}

// Lists go on with the layers of predictions.
std::vector<std::uint8_t> read_step_layers(ConfigSection& config, std::uint32_t layers) {
  const std::vector<std::string> types = config.words("layer_types");
  std::vector<std::uint8_t> kinds;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] != "full_attention" && types[i] != "sliding_attention")
      config.refuse_element("layer_types", i, "\"full_attention\" or \"sliding_attention\"",
                            '"' + types[i] + '"');
    if (i < layers) kinds.push_back(types[i] == "sliding_attention");
  }
  if (!types.empty() && types.size() < layers)
    config.refuse("layer_types", std::to_string(layers) + " layers or more", std::to_string(types.size()));
  return kinds.empty() ? std::vector<std::uint8_t>{0} : kinds;
}

GroupedQueryAttention read_other_attention(ConfigSection& config, GroupedQueryAttention attention) {
  if (!config.has("attention_other_setting")) return attention;
  ConfigSection other = config.part("attention_other_setting");
  attention.num_attention_heads = other.positive_or("num_attention_heads", attention.num_attention_heads);
  attention.num_key_value_heads = other.positive_or("num_attention_groups", attention.num_key_value_heads);
  attention.head_dim = other.positive_or("head_dim", attention.head_dim);
  other.pass_over({"attention_type", "true_head_dim"});
  other.refuse_unknown();
  return attention;
}

Experts read_step_experts(ConfigSection& config) {
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "moe_num_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok", "moe_top_k");
  experts.moe_intermediate_size = config.size("moe_intermediate_size");
  experts.n_shared_experts = 1;
  experts.shared_expert_intermediate_size =
      config.has("share_expert_dims") ? config.size("shared_expert_intermediate_size", "share_expert_dims")
                                      : config.size("shared_expert_intermediate_size", "share_expert_dim");
  experts.routing_bias = config.flag("use_moe_router_bias", false);
  config.expect_size("moe_every_n_layer", 1);
  config.pass_over({"share_expert_dim", "share_expert_dims", "use_moe"});
  return experts;
}

void pass_over_step_keys(ConfigSection& config) {
  config.expect_flag("use_qk_norm", true);
  config.expect_flag("use_mfa", false);
  config.pass_over({"max_seq_len",
                    "moe_router_activation",
                    "moe_router_scaling_factor",
                    "norm_expert_weight",
                    "need_fp32_gate",
                    "swiglu_limits",
                    "swiglu_limits_shared",
                    "use_rope_layers",
                    "yarn_only_types",
                    "partial_rotary_factors",
                    "num_nextn_predict_layers",
                    "mtp_base_layer_idx",
                    "zero_centered",
                    "fix_router",
                    "max_position_embedding",
                    "rope_theta",
                    "att_impl_type",
                    "sink",
                    "model_type_name",
                    "use_im_start_end"});
}

TextModel read_step3p5(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention;
  attention.num_attention_heads = config.size("num_attention_heads");
  attention.num_key_value_heads = config.size("num_key_value_heads", "num_attention_groups");
  attention.head_dim = config.size("head_dim");
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  attention.head_norms = true;
  attention.head_gate = config.flag("use_head_wise_attn_gate", false);
  model.attention = attention;
  model.experts = read_step_experts(config);
  pass_over_step_keys(config);
  const std::vector<std::uint8_t> windows = read_step_layers(config, model.num_hidden_layers);
  const bool any = std::ranges::find(windows, 1) != windows.end();
  const std::uint32_t window = any ? config.positive("sliding_window") : 0;
  config.pass_over({"sliding_window", "sliding_window_size"});
  set_layers(model, {{{attention}}, {{read_other_attention(config, attention)}, window}}, windows,
             read_enumerated(config, model.num_hidden_layers));
  return model;
}

}  // namespace

extern const TextFamily kStep3p5 = {{"step3p5"}, read_step3p5};

}  // namespace spillway
