// Recipes of Megatron-Bridge by name: what their functions set, as facts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace spillway {

struct BridgeRecipe {
  std::string_view name;      // of the function, without "_config"
  std::string_view file;      // under src/megatron/bridge/recipes
  std::string_view model;     // a shipped one; empty: of the settings
  std::uint32_t devices;      // as its name says
  std::string_view settings;  // "model.tensor_model_parallel_size=4 ...", beside those of every recipe
};

// Nothing if the recipe is not known. Names with and without "_config" are one.
const BridgeRecipe* bridge_recipe(std::string_view name);
std::span<const BridgeRecipe> bridge_recipes();

// Settings of every pretraining recipe (common.py, _pretrain_common); a recipe's own come after them.
std::string_view common_bridge_settings();

// Their commit of NVIDIA-NeMo/Megatron-Bridge.
inline constexpr std::string_view kBridgeCommit = "067f987df0";

}  // namespace spillway
