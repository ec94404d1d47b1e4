// Changes a layer's attention for context parallelism, before anything is priced:
//   a ring      Each turn but the first merges its outputs into those of the turns before (two reads, one
//               write), and its backward adds to the gradients of queries, keys and values. With causal
//               sequences in zigzag, a device has all of its queries or all of the keys in a turn. The
//               slowest of the ring merges all of its outputs (Transformer Engine, pytorch/attention/
//               dot_product_attention/context_parallel.py; MindSpeed, mindspeed/core/context_parallel).
//   by heads    If there are fewer key/value heads than devices, they are repeated to as many as query heads
//               before they are exchanged (MindSpeed, ulysses_context_parallel.py, do_repeat).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cost/layers/layer.h"
#include "cost/network/parallelism.h"

namespace spillway {

inline constexpr std::string_view kRingMerge = "ring merge";
void share_sequences(const Parallelism& parallelism, std::span<Layer> layers);

// Returns true if key/value heads must be repeated, in context parallelism by heads.
bool repeats_key_value_heads(std::uint64_t key_value_heads, const Parallelism& parallelism);

}  // namespace spillway
