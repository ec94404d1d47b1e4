// Nemotron-H and Nemotron 3 (arXiv 2504.03624, 2512.20848; modeling_nemotron_h.py of the released files):
// each layer has one norm before Mamba-2, attention without positions, a squared-ReLU feed-forward, or
// experts of that kind. Larger models send a narrower latent to the experts.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

enum NemotronLayer : std::uint8_t { OfMamba, OfAttention, OfFeedForward, OfExperts };

// The pattern has a letter for each layer, the list a word.
std::vector<std::uint8_t> read_pattern_of_letters(ConfigSection& config) {
  const std::string letters = "M*-E", pattern = config.word("hybrid_override_pattern");
  std::vector<std::uint8_t> kinds;
  for (const char letter : pattern) {
    const std::size_t at = letters.find(letter);
    if (at == std::string::npos)
      config.refuse("hybrid_override_pattern", "letters of M*-E", '"' + pattern + '"');
    kinds.push_back(static_cast<std::uint8_t>(at == std::string::npos ? 0 : at));
  }
  return kinds;
}

std::vector<std::uint8_t> read_nemotron_layers(ConfigSection& config, TextModel& model) {
  const std::optional<std::uint32_t> layers = config.optional_size("num_hidden_layers");
  std::vector<std::uint8_t> kinds = read_pattern_of_letters(config);
  if (kinds.empty()) {
    const auto listed = static_cast<std::uint32_t>(config.words("layers_block_type").size());
    kinds = read_kinds(config, "layers_block_type", layers.value_or(listed),
                       {"mamba", "attention", "mlp", "moe"});
  }
  model.num_hidden_layers = layers.value_or(static_cast<std::uint32_t>(kinds.size()));
  if (kinds.empty() || kinds.size() != model.num_hidden_layers)
    config.refuse("hybrid_override_pattern",
                  "one letter for each of " + std::to_string(model.num_hidden_layers) + " layers",
                  std::to_string(kinds.size()));
  return kinds.empty() ? std::vector<std::uint8_t>{OfMamba} : kinds;
}

Mamba2 read_nemotron_mamba(ConfigSection& config) {
  Mamba2 mamba;
  mamba.mamba_num_heads = config.size("mamba_num_heads");
  mamba.mamba_head_dim = config.size("mamba_head_dim");
  mamba.ssm_state_size = config.size("ssm_state_size");
  mamba.n_groups = config.size("n_groups");
  mamba.conv_kernel = config.size("conv_kernel");
  mamba.chunk_size = config.size("chunk_size");
  mamba.projection_bias = config.flag("use_bias", false) || config.flag("mamba_proj_bias", false);
  mamba.convolution_bias = config.flag("use_conv_bias", true);
  config.expect_word("mamba_hidden_act", {"silu"});
  return mamba;
}

GroupedQueryAttention read_nemotron_attention(ConfigSection& config, std::uint32_t hidden_size) {
  GroupedQueryAttention attention;
  attention.num_attention_heads = config.size("num_attention_heads");
  attention.num_key_value_heads = config.size("num_key_value_heads");
  const std::optional<std::uint32_t> older = config.optional_size("attention_head_dim");
  attention.head_dim = older                    ? *older
                       : config.has("head_dim") ? config.size("head_dim")
                                                : share_of_a_head(config, "num_attention_heads",
                                                                  attention.num_attention_heads, hidden_size);
  attention.qkv_bias = attention.output_bias = config.flag("attention_bias", false);
  attention.rotary = false;
  return attention;
}

Experts read_nemotron_experts(ConfigSection& config) {
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = config.size("moe_intermediate_size");
  experts.moe_latent_size = config.size_or("moe_latent_size", "moe_latent_size", 0);
  experts.n_group = config.size_or("n_group", "n_group", 1);
  experts.topk_group = config.size_or("topk_group", "topk_group", 1);
  experts.n_shared_experts = config.size_or("n_shared_experts", "n_shared_experts", 0);
  experts.shared_expert_intermediate_size =
      config.size_or("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", 0);
  experts.routing_bias = true;
  experts.gated = false;
  return experts;
}

// A prediction has attention and experts, as `attention` and `experts` of the model are.
void read_nemotron_predictions(ConfigSection& config, TextModel& model) {
  const std::uint32_t layers = config.size_or("num_nextn_predict_layers", "num_nextn_predict_layers", 0);
  config.expect_word("mtp_hybrid_override_pattern", {"*E"});
  const std::vector<std::string> types = config.words("mtp_layers_block_type");
  if (!types.empty() && types != std::vector<std::string>{"attention", "moe"})
    config.refuse("mtp_layers_block_type", "attention and moe", std::to_string(types.size()) + " others");
  if (model.experts) model.num_nextn_predict_layers = layers;
}

// Keys of time steps, of the residual's precision, and of generating text change nothing here.
void pass_over_nemotron_keys(ConfigSection& config) {
  config.expect_word("mlp_hidden_act", {"relu2"});
  config.expect_flag("mlp_bias", false);
  config.pass_over({"expand", "layers_block_type", "hybrid_override_pattern", "num_logits_to_keep",
                    "rescale_prenorm_residual", "residual_in_fp32", "time_step_floor", "time_step_limit",
                    "time_step_max", "time_step_min", "time_step_rank", "use_mamba_kernels",
                    "moe_shared_expert_overlap", "mtp_hybrid_override_pattern", "mtp_layers_block_type",
                    "keep_mtp", "intermediate_size", "moe_latent_size"});
}

TextModel read_nemotron_h(ConfigSection& config) {
  TextModel model;
  model.vocab_size = config.size("vocab_size");
  model.hidden_size = config.size("hidden_size");
  model.order = read_nemotron_layers(config, model);
  model.tie_word_embeddings = config.flag("tie_word_embeddings", false);
  model.feed_forward = FeedForward::Plain;
  const GroupedQueryAttention attention = read_nemotron_attention(config, model.hidden_size);
  model.attention = attention;
  const auto has = [&](NemotronLayer kind) {
    return std::ranges::find(model.order, kind) != model.order.end();
  };
  if (has(OfFeedForward)) model.intermediate_size = config.size("intermediate_size");
  if (has(OfExperts)) model.experts = read_nemotron_experts(config);
  read_nemotron_predictions(config, model);
  pass_over_nemotron_keys(config);
  model.forms = {
      {{read_nemotron_mamba(config)}, 0, AfterMixers::Nothing, 0},
      {{attention}, 0, AfterMixers::Nothing, 0},
      {{}, 0, has(OfFeedForward) ? AfterMixers::Dense : AfterMixers::Nothing, model.intermediate_size},
      {{}, 0, has(OfExperts) ? AfterMixers::Sparse : AfterMixers::Nothing, 0}};
  return model;
}

// Nemotron-4 and Minitron (arXiv 2402.16819; transformers, models/nemotron): layer norms and squared ReLU.
TextModel read_nemotron(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_attention_with_biases(config, model.hidden_size, false);
  attention.output_bias = attention.qkv_bias;
  model.attention = attention;
  model.norm = NormKind::Layer;
  model.feed_forward = FeedForward::Plain;
  config.expect_word("hidden_act", {"relu2"});
  config.expect_flag("mlp_bias", false);
  config.pass_over({"rope_percent", "rope_percentage", "norm_eps"});
  return model;
}

}  // namespace

extern const TextFamily kNemotronH = {{"nemotron_h"}, read_nemotron_h};
extern const TextFamily kNemotron = {{"nemotron"}, read_nemotron};

}  // namespace spillway
