// Low-rank adapters (Hu et al. 2021, LoRA, arXiv 2106.09685): the weights of a block are frozen, and beside
// each product of a layer [k x n] two more are trained, [k x rank] and [rank x n], whose result is added to
// its own.
//
// Adapted are the products of attention and of dense feed-forwards, shared experts among them, but neither
// router nor head (NVIDIA Megatron-Bridge, peft/lora.py, target_modules; there experts' products too, here
// not). Split over a tensor-parallel group as the product beside: what lies outside a sublayer is whole, what
// lies inside is split (peft/utils.py, ParallelLinearAdapter).
//
// The input of an adapted product is kept for its adapter's weight gradient.
#pragma once

#include <cstdint>
#include <span>

#include "cost/layers/layer.h"

namespace spillway {

// Contract: a rank of at least 1.
void add_adapters(std::uint32_t rank, std::span<Layer> layers);

}  // namespace spillway
