// Low-rank adapters (Hu et al. 2021, LoRA, arXiv 2106.09685). The weights of a block are frozen. Beside
// chosen products [k x n] of a layer two more are trained, [k x rank] and [rank x n]; their result is scaled
// and added to the product's own.
//
// Kernels of an adapter, as NVIDIA Megatron-Bridge @067f987d (peft/utils.py, ParallelLinearAdapter.forward;
// peft/lora_layers.py) and PEFT (tuners/lora/layer.py, Linear.forward) launch them, each a kernel that is not
// fused:
//   adapter dropout  of the input, if there is dropout; it writes a mask
//   adapter down     [tokens x k][k x rank], in BF16 in an FP8 block, too
//   adapter up       [tokens x rank][rank x n], the same
//   adapter scale    by alpha / rank
//   adapter sum      forward: adds two outputs; backward: adds the two gradients of the shared input
// Both products have an input gradient and a weight gradient.
//
// A tensor-parallel group splits both factors: [k x rank / T] and [rank x n / T] beside a product split by
// columns, [k / T x rank] and [rank x n / T] beside one split by rows (ParallelLinearAdapter.__init__). Their
// small exchanges are not counted. A product that every device has keeps its adapter whole.
//
// Kept for the backward: the adapter's input, unless another adapter or attention keeps the same tensor, and
// the rank-wide tensor between its products. With dropout each adapter keeps its own dropped input and a
// mask.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/enum_set.h"
#include "cost/layers/layer.h"

namespace spillway {

inline constexpr std::string_view kAdapterDown = "adapter down", kAdapterUp = "adapter up";

// Qkv           attention's product that makes queries, keys and values, with one adapter
// Query, Key, Value  those parts of it, with an adapter each
// AttentionOut  the product behind attention
// *Down, *Up    latent attention's products
// DeltaIn, DeltaOut  the products around linear attention
// Fc1, Fc2      a feed-forward's two products; dense feed-forwards and shared experts
// Gate, Up      the halves of Fc1, with an adapter each
// Experts       both products of routed experts, each expert with its own adapters
// All           every product but router and head
enum class AdapterTarget : std::uint8_t {
  Qkv,
  Query,
  Key,
  Value,
  AttentionOut,
  QueryDown,
  QueryUp,
  KeyValueDown,
  KeyValueUp,
  DeltaIn,
  DeltaOut,
  Fc1,
  Gate,
  Up,
  Fc2,
  Experts,
  All
};

// Names of modules in Megatron-LM (and NeMo, Megatron-Bridge) and in Hugging Face's models (PEFT).
inline constexpr std::array<std::pair<std::string_view, AdapterTarget>, 23> kAdapterTargets{
    {{"linear_qkv", AdapterTarget::Qkv},
     {"q_proj", AdapterTarget::Query},
     {"k_proj", AdapterTarget::Key},
     {"v_proj", AdapterTarget::Value},
     {"linear_proj", AdapterTarget::AttentionOut},
     {"o_proj", AdapterTarget::AttentionOut},
     {"linear_q_down_proj", AdapterTarget::QueryDown},
     {"q_a_proj", AdapterTarget::QueryDown},
     {"linear_q_up_proj", AdapterTarget::QueryUp},
     {"q_b_proj", AdapterTarget::QueryUp},
     {"linear_kv_down_proj", AdapterTarget::KeyValueDown},
     {"kv_a_proj_with_mqa", AdapterTarget::KeyValueDown},
     {"linear_kv_up_proj", AdapterTarget::KeyValueUp},
     {"kv_b_proj", AdapterTarget::KeyValueUp},
     {"in_proj", AdapterTarget::DeltaIn},
     {"out_proj", AdapterTarget::DeltaOut},
     {"linear_fc1", AdapterTarget::Fc1},
     {"gate_proj", AdapterTarget::Gate},
     {"up_proj", AdapterTarget::Up},
     {"linear_fc2", AdapterTarget::Fc2},
     {"down_proj", AdapterTarget::Fc2},
     {"experts", AdapterTarget::Experts},
     {"all", AdapterTarget::All}}};

// Empty: all products but those of routed experts, router and head.
using AdapterTargets = EnumSet<AdapterTarget>;

struct Adapters {
  std::uint32_t rank = 0;  // 0: none
  AdapterTargets targets = {};
  bool dropout = false;  // of their inputs

  friend bool operator==(const Adapters&, const Adapters&) = default;
};

// Returns the targets that the layers have.
AdapterTargets adapter_targets_of(std::span<const Layer> layers);
// Returns the target of the set that adapts weights of `target` already: the same one, a part of it, or a
// whole that it is part of.
std::optional<AdapterTarget> adapted_already(AdapterTargets set, AdapterTarget target);
// The names of the set's targets, for people: "linear_qkv, linear_proj, o_proj".
std::string names_of(AdapterTargets set);

// Contract: a rank of at least 1; the layers have the targets, and no two of those adapt the same weights.
void add_adapters(const Adapters& adapters, std::span<Layer> layers);

}  // namespace spillway
