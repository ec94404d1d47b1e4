// The parts of a transformer's layer that a framework can recompute separately (Megatron-LM,
// megatron/core/transformer/transformer_config.py, recompute_modules).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/enum_set.h"

namespace spillway {

// CoreAttention     attention between queries, keys and values
// Norms             the norms before attention and before the feed-forward
// UpProjection      of latent attention: queries, keys and values from their latents, with their positions
// Mlp               a dense feed-forward
// ExpertActivation  the operators between the products of routed experts
// SharedExperts
// Experts           a whole mixture: router, exchange, experts, shared ones
enum class Module : std::uint8_t {
  CoreAttention,
  Norms,
  UpProjection,
  Mlp,
  ExpertActivation,
  SharedExperts,
  Experts
};

inline constexpr std::array<std::pair<std::string_view, Module>, 7> kModules{
    {{"core_attn", Module::CoreAttention},
     {"layernorm", Module::Norms},
     {"mla_up_proj", Module::UpProjection},
     {"mlp", Module::Mlp},
     {"moe_act", Module::ExpertActivation},
     {"shared_experts", Module::SharedExperts},
     {"moe", Module::Experts}}};

using Modules = EnumSet<Module>;

}  // namespace spillway
