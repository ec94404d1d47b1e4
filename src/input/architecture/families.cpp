#include "input/architecture/families.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cost/layers/config_check.h"

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

std::string joined(const std::vector<std::string_view>& words) {
  std::string all;
  for (const std::string_view word : words) all += (all.empty() ? "" : ", ") + quoted(std::string(word));
  return all;
}

// Drops forms that `order` does not use.
void keep_used_forms(TextModel& model, const std::vector<std::uint8_t>& order) {
  std::vector<LayerForm> used;
  std::vector<std::optional<std::uint8_t>> place(model.forms.size());
  for (const std::uint8_t form : order) {
    if (place[form]) continue;
    place[form] = static_cast<std::uint8_t>(used.size());
    used.push_back(model.forms[form]);
  }
  model.order.clear();
  for (const std::uint8_t form : order) model.order.push_back(*place[form]);
  model.forms = std::move(used);
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

void set_layers(TextModel& model, const std::vector<MixerForm>& mixers,
                const std::vector<std::uint8_t>& mixer_of, const std::vector<bool>& sparse) {
  model.forms.clear();
  for (const MixerForm& mixer : mixers)
    for (const AfterMixers after : {AfterMixers::Dense, AfterMixers::Sparse})
      model.forms.push_back({mixer.mixers, mixer.sliding_window, after, model.intermediate_size});
  // A form that no layer has must not be checked: a model without dense layers has no width of them.
  const std::size_t layers = std::clamp<std::size_t>(model.num_hidden_layers, 1, kMostLayers);
  std::vector<std::uint8_t> order(layers);
  for (std::size_t i = 0; i < layers; ++i)
    order[i] = static_cast<std::uint8_t>(2 * mixer_of[i % mixer_of.size()] + sparse[i % sparse.size()]);
  keep_used_forms(model, order);
}

std::vector<bool> sparse_from(const TextModel& model, std::uint32_t dense) {
  std::vector<bool> sparse(std::clamp<std::size_t>(model.num_hidden_layers, 1, kMostLayers), true);
  std::fill_n(sparse.begin(), std::min<std::size_t>(dense, sparse.size()), false);
  return sparse;
}

std::vector<std::uint8_t> read_kinds(ConfigSection& config, std::string_view key, std::uint32_t layers,
                                     const std::vector<std::string_view>& words) {
  const std::vector<std::string> found = config.words(key);
  if (!found.empty() && found.size() != layers)
    config.refuse(key, counted(layers, "layer"), std::to_string(found.size()));
  std::vector<std::uint8_t> kinds;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto at = std::ranges::find(words, found[i]);
    if (at == words.end()) config.refuse_element(key, i, "one of " + joined(words), quoted(found[i]));
    kinds.push_back(static_cast<std::uint8_t>(at == words.end() ? 0 : at - words.begin()));
  }
  return kinds;
}

std::vector<std::uint8_t> read_bits(ConfigSection& config, std::string_view key, std::uint32_t layers) {
  const std::vector<std::uint32_t> found = config.sizes(key);
  if (!found.empty() && found.size() != layers)
    config.refuse(key, counted(layers, "layer"), std::to_string(found.size()));
  std::vector<std::uint8_t> bits;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] > 1) config.refuse_element(key, i, "0 or 1", std::to_string(found[i]));
    bits.push_back(found[i] > 0);
  }
  return bits;
}

std::vector<std::uint8_t> every(ConfigSection& config, std::string_view key, std::uint32_t interval) {
  if (interval == 0 || interval > kMostLayers)
    config.refuse(key, "1 to " + std::to_string(kMostLayers), std::to_string(interval));
  std::vector<std::uint8_t> kinds(std::clamp(interval, 1U, kMostLayers), 0);
  kinds.back() = 1;
  return kinds;
}

void expect_full_attention(ConfigSection& config, std::uint32_t layers) {
  const std::vector<std::string> types = read_layer_types(config, layers);
  for (std::size_t i = 0; i < types.size(); ++i)
    if (types[i] != kFull) config.refuse_element("layer_types", i, quoted(kFull), quoted(types[i]));
}

}  // namespace spillway
