// Routed experts as parallelism lays them out, before anything is priced:
//   split by tensors (Megatron-LM's expert tensor parallelism, megatron/core/transformer/moe): each of t
//     devices has 1/t of every expert's inner width, and runs the tokens of all t, which are gathered before
//     the first product and scattered as sums behind the last;
//   dispatched by an all-gather (MoEAllGatherTokenDispatcher there): the tokens of the whole expert group lie
//     on each of its devices while it picks its own, and so do the sums before they are scattered.
// What the device holds of an expert, and of its tokens, is what memory and products see; FLOPs stay as they
// are.
#pragma once

#include <span>

#include "cost/layers/layer.h"
#include "cost/network/parallelism.h"

namespace spillway {

// Contract: can_split_experts.
void split_experts(const Parallelism& parallelism, std::span<Layer> layers);

// Does the experts' inner width divide by `devices`?
bool can_split_experts(std::span<const Layer> layers, std::uint32_t devices);

}  // namespace spillway
