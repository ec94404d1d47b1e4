// DeepSeek-V2 and -V3 (arXiv 2405.04434, 2412.19437; transformers, models/deepseek_v2, deepseek_v3). Models
// of the same form: Kimi-K2 (arXiv 2507.20534), GLM-4.7-Flash, and with sparse attention, DeepSeek-V3.2
// (arXiv 2512.02556) and GLM-5.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

// Checks a list that repeats first_k_dense_replace.
void compare_mlp_layer_types(ConfigSection& config, const Experts& experts) {
  const std::vector<std::string> types = config.words("mlp_layer_types");
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string expected = i < experts.first_k_dense_replace ? "dense" : "sparse";
    if (types[i] != expected)
      return config.refuse_element(
          "mlp_layer_types", i, '"' + expected + "\", as first_k_dense_replace states", '"' + types[i] + '"');
  }
}

// From layer index_skip_topk_offset - 1 on, the first of every index_topk_freq layers chooses for the others.
// The layers before choose for themselves. A list of indexer_types says the same (transformers,
// models/glm_moe_dsa).
std::vector<std::uint8_t> read_choosers(ConfigSection& config, std::uint32_t layers) {
  const std::uint32_t frequency = config.positive_or("index_topk_freq", 1);
  const std::uint32_t offset = config.positive_or("index_skip_topk_offset", 1);
  config.expect_empty("index_topk_pattern");
  config.pass_over({"index_share_for_mtp_iteration"});
  std::vector<std::uint8_t> shares = read_kinds(config, "indexer_types", layers, {"full", "shared"});
  if (!shares.empty()) return shares;
  for (std::uint32_t i = 0; i < std::clamp(layers, 1U, kMostLayers); ++i)
    shares.push_back(i + 1 >= offset && (i + 1 - offset) % frequency != 0);
  return shares;
}

SparseIndexer read_indexer(ConfigSection& config) {
  for (const std::string& type : config.words("layer_types"))
    if (type != "deepseek_sparse_attention")
      config.refuse("layer_types", "\"deepseek_sparse_attention\" in every layer", '"' + type + '"');
  return {config.size("index_n_heads"), config.size("index_head_dim"), config.size("index_topk")};
}

Experts read_experts(ConfigSection& config) {
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = config.size("moe_intermediate_size");
  experts.n_group = config.size_or("n_group", "n_group", 1);
  experts.topk_group = config.size_or("topk_group", "topk_group", 1);
  experts.n_shared_experts = config.size_or("n_shared_experts", "n_shared_experts", 0);
  experts.shared_expert_intermediate_size = experts.moe_intermediate_size;
  experts.first_k_dense_replace = config.size("first_k_dense_replace");
  config.expect_size("moe_layer_freq", 1);
  compare_mlp_layer_types(config, experts);
  return experts;
}

// use_mla is false in the smallest models: attention without latents.
void read_attention_of_v2(ConfigSection& config, TextModel& model) {
  if (config.flag("use_mla", true)) {
    model.attention = read_latent_attention(config);
    return;
  }
  model.attention = read_grouped_query_attention(config, model.hidden_size);
  config.pass_over({"kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"});
}

TextModel read_deepseek_v2(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  read_attention_of_v2(config, model);
  model.experts = read_experts(config);
  model.experts->routing_bias = config.word("topk_method") == "noaux_tc";
  config.expect_word("hidden_act", {"silu"});
  config.expect_flag("attention_bias", false);
  config.expect_flag("mlp_bias", false);
  return model;
}

TextModel read_deepseek_v3(ConfigSection& config) {
  TextModel model = read_deepseek_v2(config);
  model.experts->routing_bias = true;
  model.num_nextn_predict_layers = config.size_or("num_nextn_predict_layers", "num_nextn_predict_layers", 0);
  return model;
}

// A layer that shares another's choice has no indexer, and attends to as many tokens.
TextModel read_deepseek_v3_2(ConfigSection& config) {
  TextModel model = read_deepseek_v3(config);
  LatentAttention attention = std::get<LatentAttention>(model.attention);
  attention.indexer = read_indexer(config);
  model.attention = attention;
  config.expect_size("num_experts",
                     model.experts->n_routed_experts);  // the same, beside it in quantized files
  const std::vector<std::uint8_t> shares = read_choosers(config, model.num_hidden_layers);
  if (std::ranges::find(shares, 1) == shares.end()) return model;
  LatentAttention without = attention;
  without.chosen_before = true;
  set_layers(model, {{{attention}}, {{without}}}, shares,
             sparse_from(model, model.experts->first_k_dense_replace));
  return model;
}

// DeepSeekMoE (arXiv 2401.06066): the same experts behind softmax attention.
TextModel read_deepseek_v1(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.attention = read_attention_with_biases(config, model.hidden_size, false);
  model.experts = read_experts(config);
  config.expect_word("hidden_act", {"silu"});
  return model;
}

}  // namespace

Experts read_deepseek_experts(ConfigSection& config) {
  return read_experts(config);
}

LatentAttention read_latent_attention(ConfigSection& config) {
  LatentAttention attention;
  attention.num_attention_heads = config.size("num_attention_heads");
  attention.q_lora_rank = config.size_or("q_lora_rank", "q_lora_rank", 0);  // null in DeepSeek-V2-Lite
  attention.kv_lora_rank = config.size("kv_lora_rank");
  attention.qk_nope_head_dim = config.size("qk_nope_head_dim");
  attention.qk_rope_head_dim = config.size("qk_rope_head_dim");
  attention.v_head_dim = config.size("v_head_dim");
  // Keys and values are expanded for every head. The other keys that transformers writes follow from these.
  config.pass_over({"num_key_value_heads", "head_dim", "qk_head_dim"});
  return attention;
}

extern const TextFamily kDeepSeek = {{"deepseek"}, read_deepseek_v1};
extern const TextFamily kDeepSeekV2 = {{"deepseek_v2", "deepseek_vl_v2"}, read_deepseek_v2};
extern const TextFamily kDeepSeekV3 = {{"deepseek_v3", "kimi_k2", "kimi_vl", "kimi_k25"}, read_deepseek_v3};
extern const TextFamily kMistral4 = {{"mistral4"}, read_deepseek_v2};
extern const TextFamily kGlm4MoeLite = {{"glm4_moe_lite"}, read_deepseek_v3};
extern const TextFamily kDeepSeekV3_2 = {
    {"deepseek_v32", "glm_moe_dsa"},
    read_deepseek_v3_2,
    {"Attention to the index_topk tokens that the indexer chose is priced as attention to the last "
     "index_topk tokens.",
     "The indexer is trained with a separate loss, whose kernels are not counted."}};

}  // namespace spillway
