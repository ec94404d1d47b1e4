#include "input/architecture/families.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace spillway {
namespace {

// The words of config.json files for layers with and without a sliding window (transformers,
// configuration_utils.py, layer_type_validation).
constexpr const char* kSliding = "sliding_attention";
constexpr const char* kFull = "full_attention";

// Reads layer_types, and reports a list of another length.
std::vector<std::string> read_layer_types(ConfigSection& config, std::uint32_t layers) {
  std::vector<std::string> types = config.words("layer_types");
  if (!types.empty() && types.size() != layers)
    config.refuse("layer_types", counted(layers, "layer"), std::to_string(types.size()));
  return types;
}

std::string quoted(const std::string& word) {
  return '"' + word + '"';
}

}  // namespace

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

GroupedQueryAttention read_attention_with_biases(ConfigSection& config, std::uint32_t hidden_size,
                                                 bool biased) {
  GroupedQueryAttention attention = read_grouped_query_attention(config, hidden_size);
  attention.qkv_bias = config.flag("attention_bias", biased);
  return attention;
}

std::uint32_t share_of_a_head(ConfigSection& config, std::string_view key, std::uint32_t heads,
                              std::uint32_t width) {
  if (heads == 0 || width == 0) return 1;  // this size is already reported
  if (width % heads != 0)
    config.refuse(key, "a divisor of the width " + std::to_string(width), std::to_string(heads));
  return std::max(width / heads, 1U);
}

void read_windows(ConfigSection& config, TextModel& model, const std::vector<bool>& otherwise) {
  const std::optional<std::uint32_t> window = config.optional_size("sliding_window");
  const std::vector<std::string> types = read_layer_types(config, model.num_hidden_layers);
  std::vector<bool> windowed;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] != kSliding && types[i] != kFull)
      config.refuse_element("layer_types", i, quoted(kFull) + " or " + quoted(kSliding), quoted(types[i]));
    windowed.push_back(types[i] == kSliding);
  }
  if (types.empty() && window) windowed = otherwise;
  if (std::ranges::find(windowed, true) == windowed.end()) return;
  if (!window) config.refuse("sliding_window", "the number of tokens of a window", "nothing");
  model.sliding_window = window.value_or(1);
  model.windowed = std::move(windowed);
}

void expect_full_attention(ConfigSection& config, std::uint32_t layers) {
  const std::vector<std::string> types = read_layer_types(config, layers);
  for (std::size_t i = 0; i < types.size(); ++i)
    if (types[i] != kFull) config.refuse_element("layer_types", i, quoted(kFull), quoted(types[i]));
}

}  // namespace spillway
