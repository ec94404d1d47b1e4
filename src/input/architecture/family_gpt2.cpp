// GPT-2, and GPT-3 (arXiv 2005.14165: "the same model and architecture") in GPT-2's form (transformers,
// models/gpt2). GPT-3's alternating sparse attention is counted as dense.
#include <algorithm>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr std::uint64_t kInnerPerWidth = 4;  // if n_inner is null

TextModel read_gpt2(ConfigSection& config) {
  TextModel model;
  model.vocab_size = config.size("vocab_size");
  model.hidden_size = config.size("hidden_size", "n_embd");
  model.num_hidden_layers = config.size("num_hidden_layers", "n_layer");
  model.learned_positions = config.size("learned_positions", "n_positions");
  const std::uint32_t four_times =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(kInnerPerWidth * model.hidden_size, kMostSize));
  model.intermediate_size =
      config.size_or("intermediate_size", "n_inner", std::max(four_times, 1U));  // no width: already reported
  GroupedQueryAttention attention;
  attention.num_attention_heads = config.size("num_attention_heads", "n_head");
  attention.num_key_value_heads = attention.num_attention_heads;
  attention.head_dim = share_of_a_head(config, "n_head", attention.num_attention_heads, model.hidden_size);
  attention.qkv_bias = attention.output_bias = true;
  attention.rotary = false;
  model.attention = attention;
  model.feed_forward = FeedForward::Gelu;
  model.norm = NormKind::Layer;
  model.tie_word_embeddings = config.flag("tie_word_embeddings", true);
  config.expect_word("activation_function", {"gelu_new", "gelu", "gelu_pytorch_tanh", "gelu_fast"});
  config.expect_flag("add_cross_attention", false);
  return model;
}

}  // namespace

extern const TextFamily kGpt2 = {{"gpt2"}, read_gpt2};

}  // namespace spillway
