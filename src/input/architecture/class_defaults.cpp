#include "input/architecture/class_defaults.h"

#include <array>

namespace spillway {
namespace {

// Sources: huggingface/transformers, src/transformers/models/NAME/configuration_NAME.py, the arguments of the
// class of this model_type. They have not changed since the files that rely on them were written.
constexpr std::array<ClassDefault, 5> kLlamaClass = {{{"vocab_size", 32'000},
                                                      {"hidden_size", 4096},
                                                      {"intermediate_size", 11'008},
                                                      {"num_hidden_layers", 32},
                                                      {"num_attention_heads", 32}}};
constexpr std::array<ClassDefault, 6> kMistralClass = {{{"vocab_size", 32'000},
                                                        {"hidden_size", 4096},
                                                        {"intermediate_size", 14'336},
                                                        {"num_hidden_layers", 32},
                                                        {"num_attention_heads", 32},
                                                        {"num_key_value_heads", 8}}};
constexpr std::array<ClassDefault, 6> kQwen2Class = {{{"vocab_size", 151'936},
                                                      {"hidden_size", 4096},
                                                      {"intermediate_size", 22'016},
                                                      {"num_hidden_layers", 32},
                                                      {"num_attention_heads", 32},
                                                      {"num_key_value_heads", 32}}};
constexpr std::array<ClassDefault, 7> kGemmaClass = {{{"vocab_size", 256'000},
                                                      {"hidden_size", 3072},
                                                      {"intermediate_size", 24'576},
                                                      {"num_hidden_layers", 28},
                                                      {"num_attention_heads", 16},
                                                      {"num_key_value_heads", 16},
                                                      {"head_dim", 256}}};
constexpr std::array<ClassDefault, 8> kGemma2Class = {{{"vocab_size", 256'000},
                                                       {"hidden_size", 2304},
                                                       {"intermediate_size", 9216},
                                                       {"num_hidden_layers", 26},
                                                       {"num_attention_heads", 8},
                                                       {"num_key_value_heads", 4},
                                                       {"head_dim", 256},
                                                       {"sliding_window", 4096}}};
constexpr std::array<ClassDefault, 7> kClipClass = {{{"hidden_size", 768},
                                                     {"intermediate_size", 3072},
                                                     {"num_hidden_layers", 12},
                                                     {"num_attention_heads", 12},
                                                     {"num_channels", 3},
                                                     {"image_size", 224},
                                                     {"patch_size", 32}}};
constexpr std::array<ClassDefault, 7> kSiglipClass = {{{"hidden_size", 768},
                                                       {"intermediate_size", 3072},
                                                       {"num_hidden_layers", 12},
                                                       {"num_attention_heads", 12},
                                                       {"num_channels", 3},
                                                       {"image_size", 224},
                                                       {"patch_size", 16}}};
constexpr std::array<ClassDefault, 7> kIdefics3Class = {{{"hidden_size", 1152},
                                                         {"intermediate_size", 3072},
                                                         {"num_hidden_layers", 12},
                                                         {"num_attention_heads", 16},
                                                         {"num_channels", 3},
                                                         {"image_size", 224},
                                                         {"patch_size", 32}}};
constexpr std::array<ClassDefault, 7> kPixtralClass = {{{"hidden_size", 1024},
                                                        {"intermediate_size", 4096},
                                                        {"num_hidden_layers", 24},
                                                        {"num_attention_heads", 16},
                                                        {"num_channels", 3},
                                                        {"image_size", 1024},
                                                        {"patch_size", 16}}};
constexpr std::array<ClassDefault, 10> kGlm4vClass = {{{"depth", 24},
                                                       {"hidden_size", 1536},
                                                       {"num_heads", 12},
                                                       {"in_channels", 3},
                                                       {"image_size", 336},
                                                       {"patch_size", 14},
                                                       {"spatial_merge_size", 2},
                                                       {"temporal_patch_size", 2},
                                                       {"out_hidden_size", 4096},
                                                       {"intermediate_size", 13'696}}};

struct Class {
  std::string_view model_type;
  std::span<const ClassDefault> defaults;
};
constexpr std::array<Class, 14> kClasses = {{{"llama", kLlamaClass},
                                             {"mistral", kMistralClass},
                                             {"qwen2", kQwen2Class},
                                             {"gemma", kGemmaClass},
                                             {"gemma2", kGemma2Class},
                                             {"clip_vision_model", kClipClass},
                                             {"siglip_vision_model", kSiglipClass},
                                             {"siglip", kSiglipClass},
                                             {"idefics3", kIdefics3Class},
                                             {"idefics3_vision", kIdefics3Class},
                                             {"smolvlm_vision", kIdefics3Class},
                                             {"pixtral", kPixtralClass},
                                             {"glm4v", kGlm4vClass},
                                             {"glm4v_vision", kGlm4vClass}}};

}  // namespace

std::span<const ClassDefault> class_defaults(std::string_view model_type) {
  for (const Class& one : kClasses)
    if (one.model_type == model_type) return one.defaults;
  return {};
}

}  // namespace spillway
