#include "spec/architecture/families.h"

#include <algorithm>

namespace spillway {

const std::vector<TextFamily>& text_families() {
  static const std::vector<TextFamily> families = {{"llama", read_llama},
                                                   {"qwen2", read_qwen2},
                                                   {"qwen2_vl", read_qwen2},
                                                   {"qwen2_vl_text", read_qwen2},
                                                   {"qwen3", read_qwen3},
                                                   {"qwen3_vl", read_qwen3},
                                                   {"qwen3_vl_text", read_qwen3},
                                                   {"qwen3_moe", read_qwen3_moe},
                                                   {"qwen3_vl_moe", read_qwen3_moe},
                                                   {"qwen3_vl_moe_text", read_qwen3_moe},
                                                   {"qwen3_5", read_qwen3_5},
                                                   {"qwen3_5_text", read_qwen3_5},
                                                   {"qwen3_5_moe", read_qwen3_5_moe},
                                                   {"qwen3_5_moe_text", read_qwen3_5_moe},
                                                   {"deepseek_v2", read_deepseek_v2},
                                                   {"deepseek_v3", read_deepseek_v3},
                                                   {"gpt2", read_gpt2}};
  return families;
}

const std::vector<VisionFamily>& vision_families() {
  static const std::vector<VisionFamily> families = {{"qwen2_vl", read_qwen2_vl_tower},
                                                     {"qwen3_vl", read_qwen3_vl_tower},
                                                     {"qwen3_vl_moe", read_qwen3_vl_tower},
                                                     {"qwen3_5", read_qwen3_vl_tower},
                                                     {"qwen3_5_moe", read_qwen3_vl_tower}};
  return families;
}

void read_common_sizes(ConfigSection& config, TextModel& model) {
  model.vocab_size = config.size("vocab_size");
  model.hidden_size = config.size("hidden_size");
  model.num_hidden_layers = config.size("num_hidden_layers");
  model.intermediate_size = config.size("intermediate_size");
  model.tie_word_embeddings = config.flag_anywhere("tie_word_embeddings", false);
}

GroupedQueryAttention read_grouped_query_attention(ConfigSection& config, std::uint32_t hidden_size) {
  GroupedQueryAttention attention;
  attention.num_attention_heads = config.size("num_attention_heads");
  attention.num_key_value_heads =
      config.size_or("num_key_value_heads", "num_key_value_heads", attention.num_attention_heads);
  const std::optional<std::uint32_t> head_dim = config.optional_size("head_dim");
  if (head_dim) {
    attention.head_dim = *head_dim;
  } else {
    attention.head_dim =
        share_of_a_head(config, "num_attention_heads", attention.num_attention_heads, hidden_size);
  }
  return attention;
}

std::uint32_t share_of_a_head(ConfigSection& config, std::string_view key, std::uint32_t heads,
                              std::uint32_t width) {
  if (heads == 0 || width == 0) return 1;  // reported itself
  if (width % heads != 0)
    config.refuse(key, "a divisor of the width " + std::to_string(width), std::to_string(heads));
  return std::max(width / heads, 1U);
}

}  // namespace spillway
