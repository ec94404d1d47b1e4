// Architectures the analytic cost model knows, as read from a Hugging Face config.json, and what each layer
// of them costs. Which one a block has follows from the config's model_type and the block's role:
//   deepseek_v3                      DeepSeekV3
//   qwen2_vl  and role encoder       Qwen2VlVit, from "vision_config"
//   qwen3_5   and role encoder       Qwen35Vision, from "vision_config"
//   qwen3_5   and any other role     Qwen35Text, from "text_config"
// Fields bear the names of the config's keys.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cost/deepseek_v3.h"
#include "cost/layer.h"
#include "cost/qwen2_vl_vit.h"
#include "cost/qwen3_5.h"

namespace spillway {

using Architecture = std::variant<Qwen2VlVit, DeepSeekV3, Qwen35Vision, Qwen35Text>;

// What a block's layers run over: the tokens of a microbatch's sequence, or the patches of its images.
enum class LoadUnit { Token, Patch };

struct LayerStack {
  LoadUnit unit;
  std::vector<Layer> layers;     // the embedding in the first, final norm and head (or merger) in the last
  std::uint32_t width;           // elements per token (patch) that pass from one layer to the next
  std::uint32_t output_width;    // elements per backbone token that leave the last layer
  std::uint32_t routed_experts;  // per mixture-of-experts layer; 0: none
  std::uint32_t heads;           // what tensor parallelism splits
};

// Contract: check_architecture finds nothing.
LayerStack layer_stack(const Architecture& architecture);

std::uint32_t layer_count(const Architecture& architecture);

// Sizes that describe no network; pointers are those of the config.json.
std::vector<Violation> check_architecture(const Architecture& architecture);

}  // namespace spillway
