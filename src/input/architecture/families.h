// The families of public configurations. A family is a record: how to read a config.json, or a section of it,
// into one of the general architectures (cost/layers/architecture.h), and the model_types (for a generator,
// the _class_names) that are read so. A new family is a file that defines its record; no other file names it.
// CMake lists the records that it finds in this folder: kEveryTextFamily and so on, family_list.h. Private to
// src/input.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cost/layers/architecture.h"
#include "input/architecture/config_section.h"

namespace spillway {

template <class Model>
struct FamilyOf {
  std::array<std::string_view, 6> names;  // unused ones at the end are empty
  // Reports missing keys and continues with 0, which check_architecture would report.
  Model (*read)(ConfigSection& config);
  std::array<std::string_view, 3> assumes = {};  // full sentences, for reports of what is covered
  // Keys beside the section, of the document, that this part reads or that its code ignores: the reader of
  // another part passes over them.
  std::span<const std::string_view> around = {};
};
using TextFamily = FamilyOf<TextModel>;
using VisionFamily = FamilyOf<VisionTower>;
using AudioFamily = FamilyOf<AudioTower>;
using GeneratorFamily = FamilyOf<DiffusionTransformer>;

// Most text families share these keys: vocabulary, width, layers, the inner width of dense layers; and
// head_dim, which is width / heads if the file has none.
void read_common_sizes(ConfigSection& config, TextModel& model);
GroupedQueryAttention read_grouped_query_attention(ConfigSection& config, std::uint32_t hidden_size);
// read_grouped_query_attention, with a bias on queries, keys and values if the file's attention_bias says so.
GroupedQueryAttention read_attention_with_biases(ConfigSection& config, std::uint32_t hidden_size,
                                                 bool biased);
// Reads which layers attend only to a window: by `layer_types`, otherwise by `otherwise`, repeated over the
// layers. If sliding_window is null or absent, there are no windows.
void read_windows(ConfigSection& config, TextModel& model, const std::vector<bool>& otherwise);
// Reads experts as DeepSeek's files and their successors state them.
Experts read_deepseek_experts(ConfigSection& config);
// The mixers of a kind of layer, side by side, and the window of their softmax attention.
struct MixerForm {
  std::vector<TokenMixer> mixers;
  std::uint32_t sliding_window = 0;
};
// Layer i gets mixers[mixer_of[i]], and the model's experts if sparse[i], otherwise a dense feed-forward.
// Both lists repeat.
void set_layers(TextModel& model, const std::vector<MixerForm>& mixers,
                const std::vector<std::uint8_t>& mixer_of, const std::vector<bool>& sparse);
// Layers are sparse from the `dense`-th on.
std::vector<bool> sparse_from(const TextModel& model, std::uint32_t dense);
// Reads the word of each layer as its place among `words`; nothing if the file has no list. Reports other
// words, and a list of another length.
std::vector<std::uint8_t> read_kinds(ConfigSection& config, std::string_view key, std::uint32_t layers,
                                     const std::vector<std::string_view>& words);
// The same for 0 and 1.
std::vector<std::uint8_t> read_bits(ConfigSection& config, std::string_view key, std::uint32_t layers);
// Every interval-th layer is 1, the others 0. Reports an interval of 0.
std::vector<std::uint8_t> every(ConfigSection& config, std::string_view key, std::uint32_t interval);
// Reads queries, keys and values through latents as DeepSeek's files state them.
LatentAttention read_latent_attention(ConfigSection& config);
// Reports layer_types that have a window.
void expect_full_attention(ConfigSection& config, std::uint32_t layers);
// Reads experts as Qwen's files state them: their number, their width, and how many a token uses.
Experts read_qwen_experts(ConfigSection& config);
// Reads the sizes of a tower whose file names them like a vision transformer's. Frames are encoded one by
// one.
VisionTower read_vision_transformer(ConfigSection& config);
// Returns the patches along the side of a square image. Filled: reports a side that they do not fill; the
// rest of it is cut off otherwise.
enum class Grid : std::uint8_t { Filled, CutOff };
std::uint32_t grid_side(ConfigSection& config, const VisionTower& tower, Grid grid = Grid::Filled);
// Reads a ratio of 1 / n and returns the whole number n. Reports other ratios.
std::uint32_t read_inverse(ConfigSection& config, std::string_view key);
// Returns width / heads, at least 1. Reports heads that do not divide the width.
std::uint32_t share_of_a_head(ConfigSection& config, std::string_view key, std::uint32_t heads,
                              std::uint32_t width);

}  // namespace spillway
