// The memory of a slab of layers that stays on one device all through the step: model states, and the buffers
// of their gradients.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "cost/layers/architecture.h"
#include "cost/layers/conventions.h"
#include "cost/layers/layer_cost.h"
#include "cost/network/parallelism.h"
#include "cost/slabs/footprint.h"
#include "platform/framework.h"

namespace spillway {

// The number of devices that split a layer's operators. An encoder (patches) may lie whole on every member.
std::uint32_t tensor_group(LoadUnit unit, const Parallelism& parallelism);

// The devices with the same parameters, which share out the update from ZeRO-1 on; `copies` of the stage.
double dense_sharers(LoadUnit unit, const Parallelism& parallelism, std::uint32_t copies);
double expert_sharers(const Parallelism& parallelism, std::uint32_t copies);

// Parameters on one device. Dense ones are split over the tensor-parallel group, except those that every
// member has; experts are split over their group.
double dense_on_device(const LayerCost& cost, LoadUnit unit, const Parallelism& parallelism);
double experts_on_device(const LayerCost& cost, const Parallelism& parallelism);

// How a framework runs sharded states (Sharding).
struct ShardForms {
  bool main_weights = false;  // no BF16 beside the main parameters
  bool reduces_once = false;  // gradients stay whole until a step ends
  Bytes gather = {};          // moved per gathered parameter
  Bytes reduce = {};          // moved per parameter whose gradient is scattered
};
ShardForms shard_forms(const Sharding& sharding);

// BF16 parameters. If they are trained, also gradients of `gradient` bytes and Adam's states
// (Parallelism::states; by default 12 bytes, which include the FP32 master copy). `copies`: copies of the
// stage over replicas and ranks. Devices with the same parameters share out the optimizer's part with Zero1,
// also gradients with Zero2, also parameters with Zero3. Context ranks are among them, as in Megatron-LM's
// distributed optimizer. Weights multiplied in FP8 or FP4 also have the copies of precision.h on every device
// (Transformer Engine keeps them from the first microbatch of a step on: is_first_microbatch). Primary copies
// replace BF16, and Zero3 shares them out. With Zero3, trained weights may be the main parameters themselves,
// and gathered weights may stay (no resharding after a forward): they then count whole.
ModelState model_state(const LayerCost& cost, LoadUnit unit, bool trained, const Parallelism& parallelism,
                       std::uint32_t copies, Bytes gradient = kGradient, const ShardForms& forms = {});

// Rows and columns of weights on one device.
using WeightShapes = std::set<std::pair<double, double>>;

// Adds the weight shapes of the slab's products. Contract: they are trained.
void add_weight_shapes(WeightShapes& shapes, std::span<const Layer> layers, LoadUnit unit,
                       const Parallelism& parallelism);

// The product that computes a weight gradient accumulates it in FP32. In the framework's graph a BF16 tensor
// of the same shape takes its place, one for all weights of that shape, and stays (Transformer Engine,
// get_dummy_wgrad in transformer_engine/pytorch/module/base.py, since 2.3; used by Megatron-LM,
// megatron/core/tensor_parallel/layers.py).
Bytes gradient_placeholders(const WeightShapes& shapes);

}  // namespace spillway
