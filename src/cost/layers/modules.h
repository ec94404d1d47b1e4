// The parts of a transformer's layer that a framework can recompute separately (Megatron-LM,
// megatron/core/transformer/transformer_config.py, recompute_modules).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace spillway {

// CoreAttention     attention between queries, keys and values
// Norms             the norms before attention and before the feed-forward
// UpProjection      of latent attention: queries, keys and values from their latents, with their positions
// Mlp               a dense feed-forward
// ExpertActivation  the operators between the products of routed experts
// SharedExperts
// Experts           a whole mixture: router, exchange, experts, shared ones
enum class Module : std::uint8_t {
  CoreAttention = 1,
  Norms = 2,
  UpProjection = 4,
  Mlp = 8,
  ExpertActivation = 16,
  SharedExperts = 32,
  Experts = 64
};

inline constexpr std::array<std::pair<std::string_view, Module>, 7> kModules{
    {{"core_attn", Module::CoreAttention},
     {"layernorm", Module::Norms},
     {"mla_up_proj", Module::UpProjection},
     {"mlp", Module::Mlp},
     {"moe_act", Module::ExpertActivation},
     {"shared_experts", Module::SharedExperts},
     {"moe", Module::Experts}}};

// A set of modules.
class Modules {
 public:
  constexpr Modules() = default;
  constexpr Modules(Module one) : bits_(static_cast<std::uint8_t>(one)) {}

  constexpr Modules& operator|=(Modules other) {
    bits_ |= other.bits_;
    return *this;
  }
  constexpr bool any() const { return bits_ != 0; }
  constexpr bool meets(Modules other) const { return (bits_ & other.bits_) != 0; }
  friend constexpr bool operator==(Modules, Modules) = default;

 private:
  std::uint8_t bits_ = 0;
};

}  // namespace spillway
