// What a layer's attention has beside it where context parallelism shares out its sequences, before anything
// is priced:
//   a ring      each turn but the first merges its outputs into those of before (two read, one written), and
//               its backward adds to the gradients of queries, keys and values. Of causal sequences in zigzag
//               a device has all of its queries or all of the keys in a turn; the slowest of the ring has all
//               of what it merges (Transformer Engine, pytorch/attention/dot_product_attention/
//               context_parallel.py; MindSpeed, mindspeed/core/context_parallel).
//   by heads    fewer key/value heads than devices are repeated, as many as query heads, before they are
//               exchanged (MindSpeed, ulysses_context_parallel.py, do_repeat).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cost/layers/layer.h"
#include "cost/network/parallelism.h"

namespace spillway {

inline constexpr std::string_view kRingMerge = "ring merge";
void share_sequences(const Parallelism& parallelism, std::span<Layer> layers);

// By heads: must key/value heads be repeated?
bool repeats_key_value_heads(std::uint64_t key_value_heads, const Parallelism& parallelism);

}  // namespace spillway
