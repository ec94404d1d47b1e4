// The families of public configurations, by the model_type of their config.json. A family is a function that
// reads its keys into one of the general architectures (cost/layers/architecture.h); adding one is writing
// that function, in a file of its own or beside its relatives, and a line in families.cpp. Private to
// src/spec.
//
//   llama                                          Llama 2 and 3 and their like
//   qwen2, qwen2_vl_text, qwen2_vl                 Qwen2; the language model of Qwen2-VL
//   qwen3, qwen3_moe, qwen3_vl*, qwen3_vl_moe*     Qwen3; the language model of Qwen3-VL
//   qwen3_5*, qwen3_5_moe*                         Qwen3.5 (* also with _text)
//   deepseek_v2, deepseek_v3                       DeepSeek-V2 and -V3
//   gpt2                                           GPT-2 and GPT-3
//   towers of qwen2_vl, qwen3_vl, qwen3_vl_moe, qwen3_5, qwen3_5_moe
// and, by _class_name, diffusers' DiTTransformer2DModel (and Transformer2DModel, as DiT's first files have
// it).
#pragma once

#include <string_view>
#include <vector>

#include "cost/layers/architecture.h"
#include "spec/architecture/config_section.h"

namespace spillway {

struct TextFamily {
  std::string_view model_type;
  TextModel (*read)(ConfigSection& config);
};

struct VisionFamily {
  std::string_view model_type;
  VisionTower (*read)(ConfigSection& config);
};

const std::vector<TextFamily>& text_families();
const std::vector<VisionFamily>& vision_families();

// The readers report what they miss and go on with 0, which is for check_architecture to report.
TextModel read_llama(ConfigSection& config);
TextModel read_qwen2(ConfigSection& config);
TextModel read_qwen3(ConfigSection& config);
TextModel read_qwen3_moe(ConfigSection& config);
TextModel read_qwen3_5(ConfigSection& config);
TextModel read_qwen3_5_moe(ConfigSection& config);
TextModel read_deepseek_v2(ConfigSection& config);
TextModel read_deepseek_v3(ConfigSection& config);
TextModel read_gpt2(ConfigSection& config);
VisionTower read_qwen2_vl_tower(ConfigSection& config);
VisionTower read_qwen3_vl_tower(ConfigSection& config);
DiffusionTransformer read_dit(ConfigSection& config);

// What most text families have in common: vocabulary, width, layers, the inner width of dense layers; and
// head_dim, which is the width's share of a head where the file has none.
void read_common_sizes(ConfigSection& config, TextModel& model);
GroupedQueryAttention read_grouped_query_attention(ConfigSection& config, std::uint32_t hidden_size);
// How Qwen's files say how many experts there are, how wide, and how many a token takes.
Experts read_qwen_experts(ConfigSection& config);
// Reports heads that do not divide the width.
std::uint32_t share_of_a_head(ConfigSection& config, std::string_view key, std::uint32_t heads,
                              std::uint32_t width);

}  // namespace spillway
