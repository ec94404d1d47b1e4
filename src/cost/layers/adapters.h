// Low-rank adapters (Hu et al. 2021, LoRA, arXiv 2106.09685). The weights of a block are frozen. Beside each
// product [k x n] of a layer two more are trained, [k x rank] and [rank x n]; their result is added to its
// own.
//
// The products of attention and of dense feed-forwards have adapters, those of shared experts included.
// Router and head have none (NVIDIA Megatron-Bridge, peft/lora.py, target_modules), and experts have none
// here, unlike there. An adapter is split over a tensor-parallel group as its product: the part outside a
// sublayer is whole, the part inside is split (peft/utils.py, ParallelLinearAdapter).
//
// The input of a product is kept for its adapter's weight gradient.
#pragma once

#include <cstdint>
#include <span>

#include "cost/layers/layer.h"

namespace spillway {

// Contract: a rank of at least 1.
void add_adapters(std::uint32_t rank, std::span<Layer> layers);

}  // namespace spillway
