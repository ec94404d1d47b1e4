// The model FLOPs of one pass over layers, without recomputation.
#pragma once

#include "base/quantity.h"
#include "cost/layers/layer_cost.h"
#include "cost/slabs/gradients.h"

namespace spillway {

// A forward counts its products. A weight gradient counts the products with weights once more, but for frozen
// ones. An input gradient counts those once more and the products between activations twice more. Gradients
// that are not wanted count nothing.
Flops pass_flops(const LayerCost& cost, Gradients wanted, Pass pass, DeviceLoad load);

}  // namespace spillway
