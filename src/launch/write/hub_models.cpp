// Each shipped model here is the config.json of its published one. Test: tests/launch/write_scripts_test.cpp.
#include "launch/write/hub_models.h"

#include <array>
#include <string_view>
#include <utility>

#include "input/architecture/architecture_reader.h"
#include "json/shipped_files.h"

namespace spillway {
namespace {

constexpr auto kModels = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"llama-3-8b", "meta-llama/Meta-Llama-3-8B"},
     {"llama-3-70b", "meta-llama/Meta-Llama-3-70B"},
     {"llama-3-405b", "meta-llama/Llama-3.1-405B"},
     {"llama-2-70b", "meta-llama/Llama-2-70b-hf"},
     {"mistral-7b", "mistralai/Mistral-7B-v0.1"},
     {"qwen2.5-7b", "Qwen/Qwen2.5-7B"},
     {"qwen2.5-14b", "Qwen/Qwen2.5-14B"},
     {"qwen2.5-32b", "Qwen/Qwen2.5-32B"},
     {"qwen3-0.6b", "Qwen/Qwen3-0.6B"},
     {"qwen3-8b", "Qwen/Qwen3-8B"},
     {"qwen3-32b", "Qwen/Qwen3-32B"},
     {"qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B"},
     {"qwen3-235b-a22b", "Qwen/Qwen3-235B-A22B"},
     {"deepseek-v2", "deepseek-ai/DeepSeek-V2"},
     {"deepseek-v3", "deepseek-ai/DeepSeek-V3"},
     {"moonlight-16b-a3b", "moonshotai/Moonlight-16B-A3B"},
     {"gemma-2-9b", "google/gemma-2-9b"},
     {"gpt-oss-20b", "openai/gpt-oss-20b"},
     {"gpt-oss-120b", "openai/gpt-oss-120b"},
     {"vicuna-7b", "lmsys/vicuna-7b-v1.5"},
     {"vicuna-13b", "lmsys/vicuna-13b-v1.5"}});

constexpr auto kModelsWithTowers = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"qwen2-vl-2b", "Qwen/Qwen2-VL-2B-Instruct"},
     {"qwen2-vl-7b", "Qwen/Qwen2-VL-7B-Instruct"},
     {"qwen2-vl-72b", "Qwen/Qwen2-VL-72B-Instruct"},
     {"qwen2.5-vl-7b-published", "Qwen/Qwen2.5-VL-7B-Instruct"},
     {"qwen2.5-vl-32b-published", "Qwen/Qwen2.5-VL-32B-Instruct"},
     {"qwen3-vl-8b", "Qwen/Qwen3-VL-8B-Instruct"},
     {"qwen3-vl-30b-a3b", "Qwen/Qwen3-VL-30B-A3B-Instruct"},
     {"qwen3-vl-235b-a22b", "Qwen/Qwen3-VL-235B-A22B-Instruct"},
     {"internvl2-2b", "OpenGVLab/InternVL2-2B"},
     {"internvl2-8b", "OpenGVLab/InternVL2-8B"},
     {"internvl2-26b", "OpenGVLab/InternVL2-26B"},
     {"internvl2.5-78b", "OpenGVLab/InternVL2_5-78B"},
     {"internvl3-8b", "OpenGVLab/InternVL3-8B"},
     {"internvl3-38b", "OpenGVLab/InternVL3-38B"}});

Architecture shipped_part(std::string_view shipped, Role role) {
  return read_architecture(shipped_or(std::string(shipped), "architecture"), role, {});
}

}  // namespace

std::optional<std::string> hub_model(const TextModel& network, const VisionTower& tower) {
  for (const auto& [shipped, name] : kModelsWithTowers)
    if (shipped_part(shipped, Role::Encoder) == Architecture(tower) &&
        shipped_part(shipped, Role::Backbone) == Architecture(network))
      return std::string(name);
  return std::nullopt;
}

std::optional<std::string> hub_model(const TextModel& network) {
  for (const auto& [shipped, name] : kModels)
    if (shipped_part(shipped, Role::Backbone) == Architecture(network)) return std::string(name);
  return std::nullopt;
}

}  // namespace spillway
