// The activations of a block that the host keeps between a forward and its backward. They are copied there
// while the forward runs, and back while the backward runs, each way at the speed of the link.
//
//   Inputs   the input of each layer that is recomputed from it: MindSpeed-MM's activation_offload
//            (mindspeed_mm/utils/async_offload.py @57069cd5), checkpoints with offload_to_cpu in PyTorch
//   All      all that layers keep: torchtune's enable_activation_offloading
//            (torchtune/training/_activation_offloading.py)
//   Some     inputs of some modules: Megatron-LM's offload_modules
//            (megatron/core/transformer/transformer_config.py @d98e8a64)
//
// The last layer of a slab stays on the device, since its backward follows soon: MindSpeed-MM copies none of
// it, and Megatron-LM keeps a margin of groups there
// (docs/user-guide/features/fine_grained_activation_offloading.md). So do the ends of the model.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/enum_set.h"
#include "cost/layers/layer.h"

namespace spillway {

enum class OffloadWhat : std::uint8_t { Nothing, Inputs, All, Some };

enum class OffloadModule : std::uint8_t {
  AttentionNorm,
  Qkv,
  CoreAttention,
  AttentionOutput,
  MlpNorm,
  ExpertProduct,
  ExpertActivation
};

inline constexpr std::array<std::pair<std::string_view, OffloadModule>, 7> kOffloadModules{
    {{"attn_norm", OffloadModule::AttentionNorm},
     {"qkv_linear", OffloadModule::Qkv},
     {"core_attn", OffloadModule::CoreAttention},
     {"attn_proj", OffloadModule::AttentionOutput},
     {"mlp_norm", OffloadModule::MlpNorm},
     {"expert_fc1", OffloadModule::ExpertProduct},
     {"moe_act", OffloadModule::ExpertActivation}}};

inline constexpr std::array<std::pair<std::string_view, OffloadWhat>, 3> kOffloads{
    {{"none", OffloadWhat::Nothing}, {"inputs", OffloadWhat::Inputs}, {"all", OffloadWhat::All}}};

class Offload {
 public:
  constexpr Offload(OffloadWhat what = OffloadWhat::Nothing) : what_(what) {}

  constexpr Offload& operator|=(OffloadModule module) {
    what_ = OffloadWhat::Some;
    modules_ |= module;
    return *this;
  }
  constexpr OffloadWhat what() const { return what_; }
  constexpr bool any() const { return what_ != OffloadWhat::Nothing; }
  constexpr bool has(OffloadModule module) const { return modules_.meets(module); }
  friend constexpr bool operator==(Offload, Offload) = default;

 private:
  OffloadWhat what_;
  EnumSet<OffloadModule> modules_ = {};
};

// The share of what an operator keeps that the host keeps. `mixed`: attention, or a scan in its place, comes
// before the operator in its layer. `kept`: per token, for its backward.
double offloaded_share(const Operator& op, Offload offload, bool mixed, Bytes kept);

// Returns true for an operator that mixes tokens: attention, or the scan of linear attention.
bool mixes_tokens(const Operator& op);

}  // namespace spillway
