// Flavours are those of pytorch/torchtitan @238fa9953e4a, torchtitan/models/*/__init__.py (llama2: of
// @1923ce4db), as a shipped model of
// the same network or as the keys of a config.json. Test: tests/launch/titan_scripts_test.cpp.
#include "launch/titan/model.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/files.h"
#include "base/text.h"
#include "input/architecture/architecture_reader.h"
#include "json/document.h"
#include "json/shipped_files.h"
#include "launch/command/architecture.h"

namespace spillway {
namespace {

struct Flavour {
  std::string_view model, flavour;
  std::string_view shipped;      // a shipped model of the same network
  std::string_view config = "";  // or the keys of a config.json
};

constexpr std::array kFlavours = std::to_array<Flavour>({
    {"llama3", "8B", "llama-3-8b"},
    {"llama3", "70B", "llama-3-70b"},
    {"llama3", "405B", "llama-3-405b"},
    {"llama3", "debugmodel", "",
     R"({"model_type":"llama","vocab_size":2048,"hidden_size":256,"intermediate_size":768,)"
     R"("num_hidden_layers":6,"num_attention_heads":16,"hidden_act":"silu","tie_word_embeddings":false})"},
    {"llama2", "70B", "llama-2-70b"},
    {"llama2", "7B", "",
     R"({"model_type":"llama","vocab_size":32000,"hidden_size":4096,"intermediate_size":11008,)"
     R"("num_hidden_layers":32,"num_attention_heads":32,"hidden_act":"silu","tie_word_embeddings":false})"},
    {"llama2", "13B", "",
     R"({"model_type":"llama","vocab_size":32000,"hidden_size":5120,"intermediate_size":13824,)"
     R"("num_hidden_layers":40,"num_attention_heads":40,"hidden_act":"silu","tie_word_embeddings":false})"},
    {"llama4", "17bx128e", "llama-4-maverick"},
    {"deepseek_v3", "671B", "deepseek-v3"},
    {"deepseek_v3", "236B", "deepseek-v2"},
    {"deepseek_v3", "16B", "",
     R"({"model_type":"deepseek_v2","vocab_size":102400,"hidden_size":2048,"intermediate_size":10944,)"
     R"("num_hidden_layers":27,"num_attention_heads":16,"hidden_act":"silu","tie_word_embeddings":false,)"
     R"("kv_lora_rank":512,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,)"
     R"("n_routed_experts":64,"num_experts_per_tok":6,"moe_intermediate_size":1408,"n_shared_experts":2,)"
     R"("first_k_dense_replace":1})"},
    {"qwen3", "0.6B", "qwen3-0.6b"},
    {"qwen3", "1.7B", "",
     R"({"model_type":"qwen3","vocab_size":151936,"hidden_size":2048,"intermediate_size":6144,)"
     R"("num_hidden_layers":28,"num_attention_heads":16,"num_key_value_heads":8,"head_dim":128,)"
     R"("hidden_act":"silu","tie_word_embeddings":true})"},
    {"qwen3", "4B", "",
     R"({"model_type":"qwen3","vocab_size":151936,"hidden_size":2560,"intermediate_size":9728,)"
     R"("num_hidden_layers":36,"num_attention_heads":32,"num_key_value_heads":8,"head_dim":128,)"
     R"("hidden_act":"silu","tie_word_embeddings":true})"},
    {"qwen3", "8B", "qwen3-8b"},
    {"qwen3", "14B", "",
     R"({"model_type":"qwen3","vocab_size":151936,"hidden_size":5120,"intermediate_size":17408,)"
     R"("num_hidden_layers":40,"num_attention_heads":40,"num_key_value_heads":8,"head_dim":128,)"
     R"("hidden_act":"silu","tie_word_embeddings":false})"},
    {"qwen3", "32B", "qwen3-32b"},
    {"qwen3", "30B-A3B", "qwen3-30b-a3b"},
    {"qwen3", "235B-A22B", "qwen3-235b-a22b"},
});

// Variants of a flavour that attend with another kernel: "8B_flex" is 8B.
std::string without_variant(const std::string& flavour) {
  for (const std::string_view variant : {"_flex_attn", "_varlen_attn", "_flex", "_varlen"})
    if (flavour.ends_with(variant)) return flavour.substr(0, flavour.size() - variant.size());
  return flavour;
}

// llama2 left with v0.2.
constexpr std::string_view kNoLonger = "llama2";

Architecture architecture_of_flavour(const Flavour& flavour) {
  Findings findings;
  if (flavour.config.empty())
    return read_architecture(shipped_or(std::string(flavour.shipped), "architecture"), Role::Backbone, {});
  return architecture_of(*parse_json(flavour.config, findings));
}

void describe_model(TitanModel& model, const Architecture& architecture) {
  model.layers = layer_count(architecture);
  model.has_experts = routed_experts(architecture) > 0;
}

}  // namespace

TitanModel read_titan_model(Arguments& settings, const LaunchOptions& options) {
  TitanModel model;
  const auto name = settings.word("model.name");
  const auto flavour = settings.word("model.flavor");
  if (!options.architecture.empty()) {
    model.architecture = options.architecture;
    if (const auto read = read_backbone(model.architecture, "--architecture", settings.findings()))
      describe_model(model, *read);
    return model;
  }
  const std::string base = without_variant(flavour.value_or("debugmodel"));
  const auto known = std::ranges::find_if(kFlavours, [&](const Flavour& each) {
    return each.model == name.value_or("llama3") && each.flavour == base;
  });
  if (known == kFlavours.end()) {
    settings.refuse("model.flavor", "a flavour that is known, or --architecture with its config.json",
                    '"' + name.value_or("llama3") + ' ' + flavour.value_or("debugmodel") + '"');
    return model;
  }
  if (flavour && base != *flavour)
    model.assumptions.push_back("the attention of " + *flavour +
                                " is priced as FlashAttention over whole sequences");
  if (known->config.empty()) {
    model.architecture = known->shipped;
    if (const auto read = read_backbone(model.architecture, "model.flavor", settings.findings()))
      describe_model(model, *read);
    return model;
  }
  model.config = parse_json(known->config, settings.findings());
  if (model.config) describe_model(model, architecture_of(*model.config));
  return model;
}

std::optional<TitanFlavour> titan_flavour(const TextModel& network) {
  for (const Flavour& each : kFlavours)
    if (each.model != kNoLonger && Architecture(network) == architecture_of_flavour(each))
      return TitanFlavour{std::string(each.model), std::string(each.flavour)};
  return std::nullopt;
}

std::string titan_flavour_names() {
  std::string names;
  for (const Flavour& each : kFlavours)
    if (each.model != kNoLonger)
      add_to_list(names, std::string(each.model) + ' ' + std::string(each.flavour));
  return names;
}

}  // namespace spillway
