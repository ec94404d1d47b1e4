// The families of public configurations: a record for each way of reading a config.json, or a section of it,
// into one of the general architectures (cost/layers/architecture.h), with the model_types (a generator's:
// the _class_names) that are read so. One more is a file that defines its record; nothing else knows of it,
// for CMake lists the records that it finds in this folder: kEveryTextFamily and so on, family_list.h.
// Private to src/input.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cost/layers/architecture.h"
#include "input/architecture/config_section.h"

namespace spillway {

template <class Model>
struct FamilyOf {
  std::array<std::string_view, 5> names;  // those behind the last are empty
  // Reports what it misses and goes on with 0, which is for check_architecture to report.
  Model (*read)(ConfigSection& config);
  std::array<std::string_view, 2> assumes = {};  // whole sentences, for whoever asks what is covered
};
using TextFamily = FamilyOf<TextModel>;
using VisionFamily = FamilyOf<VisionTower>;
using GeneratorFamily = FamilyOf<DiffusionTransformer>;

// What most text families have in common: vocabulary, width, layers, the inner width of dense layers; and
// head_dim, which is the width's share of a head where the file has none.
void read_common_sizes(ConfigSection& config, TextModel& model);
GroupedQueryAttention read_grouped_query_attention(ConfigSection& config, std::uint32_t hidden_size);
// read_grouped_query_attention with a bias on queries, keys and values where the file's attention_bias says
// so.
GroupedQueryAttention read_attention_with_biases(ConfigSection& config, std::uint32_t hidden_size,
                                                 bool biased);
// Where attention reaches back to a window alone: as `layer_types` says, else as `otherwise`, over and over.
// A sliding_window of null or none is none.
void read_windows(ConfigSection& config, TextModel& model, const std::vector<bool>& otherwise);
// How DeepSeek's files and those after them say it.
Experts read_deepseek_experts(ConfigSection& config);
// Reports layer_types with a window.
void expect_full_attention(ConfigSection& config, std::uint32_t layers);
// How Qwen's files say how many experts there are, how wide, and how many a token takes.
Experts read_qwen_experts(ConfigSection& config);
// The sizes of a tower whose file names them as a vision transformer's; frames one by one.
VisionTower read_vision_transformer(ConfigSection& config);
// Of a ratio that is one over a whole number: that number. Reports others.
std::uint32_t read_inverse(ConfigSection& config, std::string_view key);
// Reports heads that do not divide the width.
std::uint32_t share_of_a_head(ConfigSection& config, std::string_view key, std::uint32_t heads,
                              std::uint32_t width);

}  // namespace spillway
