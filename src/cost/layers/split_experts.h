// Changes routed experts to the way parallelism lays them out, before anything is priced:
//   split by tensors (Megatron-LM's expert tensor parallelism, megatron/core/transformer/moe): each of t
//     devices has 1/t of every expert's inner width, and runs the tokens of all t. These are gathered before
//     the first product, and their sums are scattered after the last;
//   dispatched by an all-gather (MoEAllGatherTokenDispatcher there): each device of the expert group holds
//     the tokens of the whole group while it picks its own, and the sums before they are scattered;
//   dispatched by a dispatcher's own kernels (per-node: DeepEP, HybridEP): no operator copies tokens for the
//     exchange, and a device sorts one copy of each token that reaches it.
// Memory and products see the device's part of an expert and its tokens; FLOPs do not change.
#pragma once

#include <span>

#include "cost/layers/layer.h"
#include "cost/network/parallelism.h"

namespace spillway {

// Contract: can_split_experts.
void split_experts(const Parallelism& parallelism, std::span<Layer> layers);

// Returns true if `devices` divides the experts' inner width.
bool can_split_experts(std::span<const Layer> layers, std::uint32_t devices);

}  // namespace spillway
