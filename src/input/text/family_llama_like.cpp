// Models that are Llama but for a bias, a norm, or the names of keys: Baichuan (arXiv 2309.10305), InternLM
// and InternLM3, Seed-OSS, StableLM, Orion, MiniCPM (arXiv 2404.06395), Arcee.
#include "input/architecture/families.h"

namespace spillway {
namespace {

// Reads sizes, grouped queries and a SwiGLU.
TextModel read_like_llama(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.attention = read_grouped_query_attention(config, model.hidden_size);
  config.expect_word("hidden_act", {"silu"});
  return model;
}

GroupedQueryAttention& grouped(TextModel& model) {
  return std::get<GroupedQueryAttention>(model.attention);
}

// One product makes queries, keys and values, without biases. The larger models have ALiBi instead of
// rotations, which their files do not say: a rotation hardly counts.
TextModel read_baichuan(ConfigSection& config) {
  config.pass_over({"_from_model_config", "z_loss_weight"});
  return read_like_llama(config);
}

TextModel read_internlm(ConfigSection& config) {
  TextModel model = read_like_llama(config);
  grouped(model).qkv_bias = grouped(model).output_bias = config.flag("bias", true);
  config.pass_over({"rotary"});
  return model;
}

// transformers' InternLM3Config: queries, keys and values may have biases, or all products.
TextModel read_internlm3(ConfigSection& config) {
  TextModel model = read_like_llama(config);
  const bool all = config.flag("bias", false);
  grouped(model).output_bias = all;
  grouped(model).qkv_bias = config.flag("qkv_bias", false) || all;
  if (all) model.feed_forward = FeedForward::SwiGluWithBiases;
  return model;
}

// transformers, models/seed_oss: biases of queries, keys and values, not of the output.
TextModel read_seed_oss(ConfigSection& config) {
  TextModel model = read_like_llama(config);
  grouped(model).qkv_bias = config.flag("attention_bias", true);
  grouped(model).output_bias = config.flag("attention_out_bias", false);
  config.expect_flag("mlp_bias", false);
  return model;
}

// transformers, models/stablelm.
TextModel read_stablelm(ConfigSection& config) {
  TextModel model = read_like_llama(config);
  model.norm = NormKind::Layer;
  model.parallel = config.flag("use_parallel_residual", false);
  grouped(model).qkv_bias = config.flag("use_qkv_bias", false);
  config.expect_flag("qk_layernorm", false);
  config.pass_over({"rope_pct", "norm_eps"});
  return model;
}

TextModel read_orion(ConfigSection& config) {
  TextModel model = read_like_llama(config);
  model.norm = NormKind::Layer;
  config.pass_over({"max_sequence_length"});
  return model;
}

// Its factors on embeddings, residuals and logits are part of kernels that run anyway. With experts, every
// layer has them.
TextModel read_minicpm(ConfigSection& config) {
  TextModel model = read_like_llama(config);
  model.tie_word_embeddings = config.flag("tie_word_embeddings", true);
  config.pass_over({"dim_model_base"});
  if (config.optional_size("num_experts").value_or(0) == 0) return model;
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = model.intermediate_size;
  model.experts = experts;
  return model;
}

// transformers, models/arcee: squared ReLU.
TextModel read_arcee(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  model.attention = read_attention_with_biases(config, model.hidden_size, false);
  model.feed_forward = FeedForward::Plain;
  config.expect_word("hidden_act", {"relu2"});
  config.expect_flag("mlp_bias", false);
  return model;
}

}  // namespace

extern const TextFamily kBaichuan = {{"baichuan"}, read_baichuan};
extern const TextFamily kInternLm = {{"internlm"}, read_internlm};
extern const TextFamily kInternLm3 = {{"internlm3"}, read_internlm3};
extern const TextFamily kSeedOss = {{"seed_oss"}, read_seed_oss};
extern const TextFamily kStableLm = {{"stablelm"}, read_stablelm};
extern const TextFamily kOrion = {{"orion"}, read_orion};
extern const TextFamily kMiniCpm = {{"minicpm"}, read_minicpm};
extern const TextFamily kArcee = {{"arcee"}, read_arcee};

}  // namespace spillway
