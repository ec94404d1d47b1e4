// Recipes of Megatron-Bridge by name: what their functions set, as facts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spillway {

// Library    mixed_precision is a name, and overrides may only replace it
// Benchmark  its fields can be overridden one by one; its data cannot be replaced
// Images     fine-tuning of a model with an encoder; mixed_precision is a name
// Tuning     fine-tuning on texts that are packed into sequences; mixed_precision is a name
// Adapters   the same with low-rank adapters; ImagesAdapters: Images with them
enum class BridgeRecipeKind : std::uint8_t { Library, Benchmark, Images, Tuning, Adapters, ImagesAdapters };

struct BridgeRecipe {
  std::string_view name;      // of the function, without "_config"
  std::string_view file;      // under src/megatron/bridge/recipes, or perf_recipes for a benchmark
  std::string_view model;     // a shipped one; empty: of the settings
  std::uint32_t devices;      // as its name says
  std::string_view settings;  // "model.tensor_model_parallel_size=4 ...", beside those of every recipe
  BridgeRecipeKind kind = BridgeRecipeKind::Library;
};

// Nothing if the recipe is not known. Names with and without "_config" are one.
const BridgeRecipe* bridge_recipe(std::string_view name);
// All of them, those that tune a model last.
std::vector<BridgeRecipe> bridge_recipes();
std::span<const BridgeRecipe> bridge_tuning_recipes();

// Settings of every pretraining recipe (common.py, _pretrain_common). Those of its kind and its own come
// after them.
std::string_view common_bridge_settings();
// Benchmark: FP8 by tensor in all layers, and gradients in BF16 (perf_recipes/_common.py, _perf_precision of
// fp8_cs and _benchmark_common). Images: nothing overlaps (_sft_common_vlm). Tuning: 128 sequences of 2,048
// tokens, and nothing overlaps (_sft_common). Adapters: of rank 32 on all products of a layer (_peft_common).
std::string_view settings_of_kind(BridgeRecipeKind kind);

// Their commit of NVIDIA-NeMo/Megatron-Bridge.
inline constexpr std::string_view kBridgeCommit = "067f987df0";

}  // namespace spillway
