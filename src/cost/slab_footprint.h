// The memory of a slab of layers on one device, from their architecture.
#pragma once

#include <cstdint>
#include <span>

#include "cost/architecture.h"
#include "cost/footprint.h"
#include "cost/layer_cost.h"
#include "cost/parallelism.h"
#include "cost/roofline.h"

namespace spillway {

// BF16 parameters; where they are trained, FP32 gradients and Adam's 12 bytes each (cost/conventions.h).
// Dense parameters are split over the members, experts over their group; an encoder (patches) lies whole on
// every member. `copies` says how often the stage exists, over replicas and ranks. Zero1 shares the
// optimizer's part out to all devices with the same parameters; plain data parallelism keeps the whole of it
// on each.
ModelState model_state(const LayerCost& cost, LoadUnit unit, bool trained, const Parallelism& parallelism,
                       std::uint32_t copies);

// Per token (patch) of the device, with `width` elements of input to each layer.
//   None, Selective  what each operation keeps; attention is fused, so that there are no scores for Selective
//                    to drop
//   Full             each layer's input; in the backward one layer's activations again, the largest counted
// A split backward leaves to the weight gradient the inputs of its products and the gradients of their
// outputs (Qi et al. 2024, Zero Bubble, arXiv 2401.10241, table 1), recomputed or not.
Held held_per_token(std::span<const Layer> layers, std::uint32_t width, Gradients gradients,
                    Recompute recompute);

}  // namespace spillway
