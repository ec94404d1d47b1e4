// Falcon (arXiv 2311.16867; transformers, models/falcon): attention and feed-forward side by side. Falcon-H1
// (arXiv 2507.22448; models/falcon_h1): attention and Mamba-2 side by side on one normed input, then a
// feed-forward.
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_falcon(ConfigSection& config) {
  TextModel model;
  model.vocab_size = config.size("vocab_size");
  model.hidden_size = config.size("hidden_size");
  model.num_hidden_layers = config.size("num_hidden_layers");
  model.intermediate_size = config.optional_size("ffn_hidden_size").value_or(4 * model.hidden_size);
  model.tie_word_embeddings = config.flag("tie_word_embeddings", true);
  GroupedQueryAttention attention;
  attention.num_attention_heads = config.size("num_attention_heads");
  attention.head_dim =
      share_of_a_head(config, "num_attention_heads", attention.num_attention_heads, model.hidden_size);
  const bool grouped = config.flag("new_decoder_architecture", false);
  attention.num_key_value_heads = attention.num_attention_heads;
  if (grouped)
    attention.num_key_value_heads =
        config.size_or("num_key_value_heads", "num_kv_heads", attention.num_attention_heads);
  else if (config.flag("multi_query", true))
    attention.num_key_value_heads = 1;
  attention.qkv_bias = attention.output_bias = config.flag("bias", false);
  model.attention = attention;
  model.feed_forward = config.flag("bias", false) ? FeedForward::Gelu : FeedForward::Plain;
  model.norm = NormKind::Layer;
  model.parallel = grouped || config.flag("parallel_attn", true);
  model.second_norm = grouped && config.optional_size("num_ln_in_parallel_attn").value_or(2) == 2;
  config.expect_word("activation", {"gelu"});
  config.expect_flag("alibi", false);
  config.pass_over({"num_kv_heads", "multi_query", "parallel_attn"});
  return model;
}

Mamba2 read_h1_mamba(ConfigSection& config, const TextModel& model) {
  Mamba2 mamba;
  mamba.mamba_num_heads = config.size("mamba_num_heads", "mamba_n_heads");
  const std::uint32_t width =
      config.optional_size("mamba_d_ssm").value_or(config.positive_or("mamba_expand", 2) * model.hidden_size);
  config.pass_over({"mamba_expand"});
  mamba.mamba_head_dim = config.has("mamba_d_head") && config.word("mamba_d_head") != "auto"
                             ? config.size("mamba_head_dim", "mamba_d_head")
                             : share_of_a_head(config, "mamba_n_heads", mamba.mamba_num_heads, width);
  mamba.ssm_state_size = config.size("ssm_state_size", "mamba_d_state");
  mamba.n_groups = config.size_or("n_groups", "mamba_n_groups", 1);
  mamba.conv_kernel = config.size_or("conv_kernel", "mamba_d_conv", 4);
  mamba.chunk_size = config.size_or("chunk_size", "mamba_chunk_size", 256);
  mamba.projection_bias = config.flag("mamba_proj_bias", false);
  mamba.convolution_bias = config.flag("mamba_conv_bias", true);
  mamba.norm = config.flag("mamba_rms_norm", true);
  if (std::uint64_t{mamba.mamba_num_heads} * mamba.mamba_head_dim != width)
    config.refuse("mamba_d_ssm", "mamba_n_heads times mamba_d_head", std::to_string(width));
  return mamba;
}

// Multipliers are factors inside kernels that run anyway.
TextModel read_falcon_h1(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_attention_with_biases(config, model.hidden_size, false);
  attention.output_bias = config.flag("projectors_bias", false) || attention.qkv_bias;
  model.attention = attention;
  config.expect_word("hidden_act", {"silu"});
  config.expect_flag("mlp_bias", false);
  config.expect_flag("mamba_use_mlp", true);
  config.pass_over({"attention_in_multiplier", "attention_out_multiplier", "key_multiplier",
                    "lm_head_multiplier", "mlp_multipliers", "ssm_multipliers", "ssm_in_multiplier",
                    "ssm_out_multiplier", "mamba_norm_before_gate", "mlp_expansion_factor",
                    "attn_layer_indices", "time_step_min", "time_step_max", "time_step_floor",
                    "time_step_limit"});
  set_layers(model, {{{attention, read_h1_mamba(config, model)}}}, {0}, {false});
  return model;
}

}  // namespace

extern const TextFamily kFalcon = {{"falcon", "RefinedWebModel", "RefinedWeb"}, read_falcon};
extern const TextFamily kFalconH1 = {{"falcon_h1"}, read_falcon_h1};

}  // namespace spillway
