// Sliding windows, as config.json files say them (transformers, configuration_utils.py,
// layer_type_validation).
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr const char* kSliding = "sliding_attention";
constexpr const char* kFull = "full_attention";

// Reports a list of another length.
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
