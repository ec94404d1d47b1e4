// Granite 3 and 4 (transformers, models/granite, granitemoe, granitemoeshared, granitemoehybrid): Llama with
// factors on embeddings, scores, residuals and logits, which are part of kernels that run anyway. Hybrids
// have Mamba-2 in most layers.
#include "input/architecture/families.h"

namespace spillway {
namespace {

void read_granite_base(ConfigSection& config, TextModel& model) {
  read_common_sizes(config, model);
  model.tie_word_embeddings = config.flag("tie_word_embeddings", model.tie_word_embeddings);
  GroupedQueryAttention attention = read_attention_with_biases(config, model.hidden_size, false);
  attention.output_bias = attention.qkv_bias;
  const std::string positions = config.word("position_embedding_type");
  attention.rotary = positions.empty() || positions == "rope";
  model.attention = attention;
  config.expect_word("hidden_act", {"silu"});
  config.expect_word("normalization_function", {"rmsnorm"});
  config.expect_flag("mlp_bias", false);
  config.pass_over({"attention_multiplier", "logits_scaling", "residual_multiplier", "init_method"});
}

TextModel read_granite(ConfigSection& config) {
  TextModel model;
  read_granite_base(config, model);
  return model;
}

// A shared feed-forward beside the experts, of its own width; without experts it is the layer's.
void read_granite_experts(ConfigSection& config, TextModel& model) {
  const std::uint32_t shared =
      config.size_or("shared_expert_intermediate_size", "shared_intermediate_size", 0);
  if (config.size_or("n_routed_experts", "num_local_experts", 0) == 0) {
    config.pass_over({"num_experts_per_tok"});
    model.intermediate_size = shared > 0 ? shared : model.intermediate_size;
    return;
  }
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_local_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = model.intermediate_size;
  experts.n_shared_experts = shared > 0 ? 1 : 0;
  experts.shared_expert_intermediate_size = shared;
  model.experts = experts;
}

TextModel read_granite_moe(ConfigSection& config) {
  TextModel model;
  read_granite_base(config, model);
  read_granite_experts(config, model);
  return model;
}

// Defaults of GraniteMoeHybridConfig.
Mamba2 read_granite_mamba(ConfigSection& config, std::uint32_t hidden_size) {
  Mamba2 mamba;
  mamba.mamba_num_heads = config.size_or("mamba_num_heads", "mamba_n_heads", 128);
  mamba.n_groups = config.size_or("n_groups", "mamba_n_groups", 1);
  mamba.ssm_state_size = config.size_or("ssm_state_size", "mamba_d_state", 256);
  mamba.conv_kernel = config.size_or("conv_kernel", "mamba_d_conv", 4);
  mamba.chunk_size = config.size_or("chunk_size", "mamba_chunk_size", 256);
  const std::uint32_t expand = config.positive_or("mamba_expand", 2);
  mamba.mamba_head_dim =
      config.has("mamba_d_head") && config.word("mamba_d_head") != "auto"
          ? config.size("mamba_head_dim", "mamba_d_head")
          : share_of_a_head(config, "mamba_n_heads", mamba.mamba_num_heads, expand * hidden_size);
  mamba.projection_bias = config.flag("mamba_proj_bias", false);
  mamba.convolution_bias = config.flag("mamba_conv_bias", true);
  return mamba;
}

TextModel read_granite_hybrid(ConfigSection& config) {
  TextModel model;
  read_granite_base(config, model);
  read_granite_experts(config, model);
  std::vector<std::uint8_t> kinds =
      read_kinds(config, "layer_types", model.num_hidden_layers, {"mamba", "attention"});
  if (kinds.empty()) kinds = {0};
  config.pass_over({"layers_block_type", "init_method", "shared_intermediate_size", "mamba_conv_bias"});
  set_layers(model,
             {{{read_granite_mamba(config, model.hidden_size)}},
              {{std::get<GroupedQueryAttention>(model.attention)}}},
             kinds, {model.experts.has_value()});
  return model;
}

}  // namespace

extern const TextFamily kGranite = {{"granite"}, read_granite};
extern const TextFamily kGraniteMoe = {{"granitemoe", "granitemoeshared"}, read_granite_moe};
extern const TextFamily kGraniteHybrid = {{"granitemoehybrid"}, read_granite_hybrid};

}  // namespace spillway
