// Test: tests/launch/mm_scripts_test.cpp.
#include "launch/megatron/mm_config.h"

#include <charconv>

#include "launch/command/json_members.h"

namespace spillway {

std::uint32_t MmConfig::needed(std::string_view part, std::string_view key) {
  const std::string name = std::string(part) + std::string(key);
  const auto number = arguments_.whole(name);
  if (!number && !arguments_.has(name))
    arguments_.findings().add("model.json, " + name.substr(3), "a whole number", "none");
  return number.value_or(1);
}

void MmConfig::expect(const std::string& name, std::string_view value) {
  const auto word = arguments_.word(name);
  if (word && *word != value)
    arguments_.refuse(name, std::string(value) + ", or --architecture with a config.json", '"' + *word + '"');
}

std::vector<std::uint32_t> MmConfig::numbers_of(std::string_view name) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& text : arguments_.words(name)) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
      arguments_.refuse(name, "whole numbers", '"' + text + '"');
    numbers.push_back(number);
  }
  return numbers;
}

void MmConfig::add_decoder_sizes(Object& config) {
  add_member(config, "num_hidden_layers", needed(kMmDecoder, "num_layers"));
  add_member(config, "hidden_size", needed(kMmDecoder, "hidden_size"));
  add_member(config, "intermediate_size", needed(kMmDecoder, "ffn_hidden_size"));
  const std::uint32_t heads = needed(kMmDecoder, "num_attention_heads");
  add_member(config, "num_attention_heads", heads);
  const std::string grouped_key = std::string(kMmDecoder) + "group_query_attention";
  const bool grouped = !arguments_.has(grouped_key) || arguments_.flag(grouped_key);
  const auto groups = arguments_.whole(std::string(kMmDecoder) + "num_query_groups");
  add_member(config, "num_key_value_heads", grouped ? groups.value_or(heads) : heads);
  add_member(config, "vocab_size", needed(kMmDecoder, "vocab_size"));
  add_member(config, "hidden_act", "silu");
  expect(std::string(kMmDecoder) + "activation_func", "silu");
  expect(std::string(kMmDecoder) + "gated_linear_unit", "true");
  expect(std::string(kMmDecoder) + "normalization", "RMSNorm");
}

MegatronEncoder MmConfig::encoder() {
  MegatronEncoder encoder;
  const std::string part(kMmEncoder);
  encoder.trainable = !arguments_.flag(part + "freeze");
  encoder.layers = numbers_of(part + "pipeline_num_layers");
  const auto granularity = arguments_.known_word(part + "recompute_granularity");
  arguments_.known_word(part + "recompute_method");
  arguments_.known_word(part + "recompute_num_layers");
  encoder.recomputed = encoder.trainable && granularity && *granularity == "full";
  return encoder;
}

}  // namespace spillway
