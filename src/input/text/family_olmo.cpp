// OLMo 2 and 3 (arXiv 2501.00656, 2512.13961; transformers, models/olmo2, olmo3), OLMoE (arXiv 2409.02060)
// and EXAONE 4 (arXiv 2507.11407; models/exaone4). OLMo 2 and after and EXAONE 4 norm what attention and
// feed-forward return, not what they read.
#include "input/architecture/families.h"

namespace spillway {
namespace {

TextModel read_with_norms_behind(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_attention_with_biases(config, model.hidden_size, false);
  attention.output_bias = attention.qkv_bias;
  attention.head_norms = true;
  model.attention = attention;
  model.input_norms = false;
  model.output_norms = true;
  config.expect_word("hidden_act", {"silu"});
  return model;
}

// Norms of queries and keys cover all heads.
TextModel read_olmo2(ConfigSection& config) {
  TextModel model = read_with_norms_behind(config);
  std::get<GroupedQueryAttention>(model.attention).joint_norms = true;
  return model;
}

TextModel read_olmo3(ConfigSection& config) {
  TextModel model = read_olmo2(config);
  read_windows(config, model, {true, true, true, false});
  return model;
}

TextModel read_olmoe(ConfigSection& config) {
  TextModel model;
  read_common_sizes(config, model);
  GroupedQueryAttention attention = read_attention_with_biases(config, model.hidden_size, false);
  attention.output_bias = attention.qkv_bias;
  attention.head_norms = attention.joint_norms = true;
  model.attention = attention;
  Experts experts;
  experts.n_routed_experts = config.size("n_routed_experts", "num_experts");
  experts.num_experts_per_tok = config.size("num_experts_per_tok");
  experts.moe_intermediate_size = model.intermediate_size;
  model.experts = experts;
  config.expect_word("hidden_act", {"silu"});
  config.expect_empty("clip_qkv");
  return model;
}

// A pattern such as LLLG names layers with a window and layers without.
std::vector<bool> read_pattern(ConfigSection& config) {
  const std::string pattern = config.word("sliding_window_pattern");
  std::vector<bool> windowed;
  for (const char layer : pattern) windowed.push_back(layer == 'L');
  if (pattern.empty()) windowed = {true, true, true, false};
  return windowed;
}

// Layers without a window have no rotations if others have one.
TextModel read_exaone4(ConfigSection& config) {
  TextModel model = read_with_norms_behind(config);
  read_windows(config, model, read_pattern(config));
  if (model.windowed.empty()) return model;
  const auto rotated = std::get<GroupedQueryAttention>(model.attention);
  GroupedQueryAttention plain = rotated;
  plain.rotary = false;
  std::vector<std::uint8_t> kinds(model.windowed.begin(), model.windowed.end());
  set_layers(model, {{{plain}}, {{rotated}, model.sliding_window}}, kinds, {false});
  model.windowed.clear();
  return model;
}

}  // namespace

extern const TextFamily kOlmo2 = {{"olmo2"}, read_olmo2};
extern const TextFamily kOlmo3 = {{"olmo3"}, read_olmo3};
extern const TextFamily kOlmoE = {{"olmoe"}, read_olmoe};
extern const TextFamily kExaone4 = {{"exaone4"}, read_exaone4};

}  // namespace spillway
