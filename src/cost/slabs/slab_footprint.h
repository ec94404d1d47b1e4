// What of a slab of layers stays on one device all through the step: model states, and the buffers of their
// gradients.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "cost/layers/architecture.h"
#include "cost/layers/layer_cost.h"
#include "cost/network/parallelism.h"
#include "cost/slabs/footprint.h"

namespace spillway {

// How many devices split a layer's operators: an encoder (patches) may lie whole on every member.
std::uint32_t tensor_group(LoadUnit unit, const Parallelism& parallelism);

// Devices that share out what they update, the same parameters on each, from ZeRO-1 on; `copies` of the
// stage.
double dense_sharers(LoadUnit unit, const Parallelism& parallelism, std::uint32_t copies);
double expert_sharers(const Parallelism& parallelism, std::uint32_t copies);

// Parameters on one device: dense ones split over the tensor-parallel group but for those that every member
// has, experts over theirs.
double dense_on_device(const LayerCost& cost, LoadUnit unit, const Parallelism& parallelism);
double experts_on_device(const LayerCost& cost, const Parallelism& parallelism);

// BF16 parameters; where they are trained, FP32 gradients and Adam's 12 bytes each, the FP32 master copy
// among them (cost/layers/conventions.h). `copies` says how often the stage exists, over replicas and ranks.
// Devices with the same parameters share out the optimizer's part with Zero1, gradients too with Zero2,
// parameters too with Zero3; context ranks are among them, as in Megatron-LM's distributed optimizer. Weights
// that are multiplied in FP8 have both copies of fp8.h beside, everywhere (Transformer Engine keeps them from
// the first microbatch of a step on: is_first_microbatch).
ModelState model_state(const LayerCost& cost, LoadUnit unit, bool trained, const Parallelism& parallelism,
                       std::uint32_t copies);

// Rows and columns of weights as they lie on a device.
using WeightShapes = std::set<std::pair<double, double>>;

// Adds those of the slab's products. Contract: they are trained.
void add_weight_shapes(WeightShapes& shapes, std::span<const Layer> layers, LoadUnit unit,
                       const Parallelism& parallelism);

// Weight gradients are accumulated by the product that computes them, in FP32; what takes their place in the
// framework's graph is a BF16 tensor of the same shape, one for all weights of that shape, which stays
// (Transformer Engine, get_dummy_wgrad in transformer_engine/pytorch/module/base.py, since 2.3; used by
// Megatron-LM, megatron/core/tensor_parallel/layers.py).
Bytes gradient_placeholders(const WeightShapes& shapes);

}  // namespace spillway
