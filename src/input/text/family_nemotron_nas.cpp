// Llama-Nemotron (arXiv 2505.00949; modeling_decilm.py of the released files): Llama whose layers a search
// has changed one by one: without attention, or with a narrower feed-forward.
#include <algorithm>
#include <string>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr std::uint64_t kMultipleOf = 256;
constexpr Range kWidthFactor{.above = 0, .at_most = 1000, .expected = "a number above 0, at most 1000"};

// configuration_decilm.py, _ffn_mult_to_intermediate_size.
std::uint32_t inner_width(double multiplier, std::uint32_t hidden_size) {
  const auto width = static_cast<std::uint64_t>(2 * multiplier * hidden_size / 3);
  const std::uint64_t padded = (width + kMultipleOf - 1) / kMultipleOf * kMultipleOf;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(padded, kMostSize));
}

void refuse_linear(ConfigSection& part) {
  part.expect_flag("replace_with_linear", false);
  part.expect_empty("sparsify");
}

LayerForm read_block(ConfigSection& block, const GroupedQueryAttention& all, std::uint32_t hidden_size) {
  LayerForm form;
  if (block.has("attention")) {
    ConfigSection part = block.part("attention");
    refuse_linear(part);
    part.expect_empty("window_length");
    part.expect_empty("num_sink_tokens");
    part.pass_over({"use_prefill_window_in_sink_attention", "unshifted_sink", "llama4"});
    if (!part.flag("no_op", false)) {
      GroupedQueryAttention attention = all;
      const std::uint32_t shared = part.positive("n_heads_in_group");
      if (all.num_attention_heads % shared != 0)
        part.refuse("n_heads_in_group", "a divisor of " + std::to_string(all.num_attention_heads),
                    std::to_string(shared));
      attention.num_key_value_heads = std::max(all.num_attention_heads / shared, 1U);
      form.mixers = {attention};
    }
  }
  form.feed_forward = AfterMixers::Nothing;
  if (!block.has("ffn")) return form;
  ConfigSection part = block.part("ffn");
  refuse_linear(part);
  if (part.flag("no_op", false)) return form;
  form.feed_forward = AfterMixers::Dense;
  form.intermediate_size = part.has("intermediate_size")
                               ? part.positive("intermediate_size")
                               : inner_width(part.ratio("ffn_mult", kWidthFactor).value_or(1), hidden_size);
  return form;
}

TextModel read_nemotron_nas(ConfigSection& config) {
  TextModel model;
  model.vocab_size = config.size("vocab_size");
  model.hidden_size = config.size("hidden_size");
  model.num_hidden_layers = config.size("num_hidden_layers");
  model.tie_word_embeddings = config.flag("tie_word_embeddings", false);
  GroupedQueryAttention all;
  all.num_attention_heads = config.size("num_attention_heads");
  all.num_key_value_heads = all.num_attention_heads;
  all.head_dim = share_of_a_head(config, "num_attention_heads", all.num_attention_heads, model.hidden_size);
  all.qkv_bias = all.output_bias = config.flag("attention_bias", false);
  model.attention = all;
  config.expect_word("hidden_act", {"silu"});
  config.expect_flag("mlp_bias", false);
  config.pass_over({"num_key_value_heads", "intermediate_size"});
  std::vector<ConfigSection> blocks = config.each("block_configs");
  if (blocks.size() != model.num_hidden_layers)
    config.refuse("block_configs", std::to_string(model.num_hidden_layers) + " blocks",
                  std::to_string(blocks.size()));
  for (ConfigSection& block : blocks) {
    const LayerForm form = read_block(block, all, model.hidden_size);
    block.refuse_unknown();
    const auto before = std::ranges::find(model.forms, form);
    model.order.push_back(static_cast<std::uint8_t>(before - model.forms.begin()));
    if (before == model.forms.end()) model.forms.push_back(form);
    if (model.forms.size() > 255) config.refuse("block_configs", "at most 255 kinds of blocks", "more");
  }
  if (blocks.empty()) model.forms.clear();
  return model;
}

}  // namespace

extern const TextFamily kNemotronNas = {{"nemotron-nas", "deci"}, read_nemotron_nas};

}  // namespace spillway
