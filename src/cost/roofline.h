// The roofline max(W/F, D/B) of a slab on one device (paper section 3.3), forward and backward.
#pragma once

#include <algorithm>

#include "base/quantity.h"
#include "cost/layer_cost.h"

namespace spillway {

struct Work {
  Flops flops;    // W
  Bytes traffic;  // D: HBM bytes read and written
};

// What the device achieves of its peaks.
struct Rates {
  FlopsPerSecond compute;  // F
  BytesPerSecond memory;   // B
};

inline Seconds roofline(const Work& work, const Rates& rates) {
  return std::max(work.flops / rates.compute, work.traffic / rates.memory);
}

// Which gradients a slab computes.
struct Gradients {
  bool weight;
  bool input;

  bool any() const { return weight || input; }
};

// Selective: products between activations are computed again; full: the whole forward is.
enum class Recompute { None, Selective, Full };

// The layers of a slab as one device holds them.
struct Slab {
  LayerCost cost;  // summed over the layers, on a whole copy of the model
  Bytes weights;   // what of the parameters lies on this device, in BF16
};

// Weights are read once; each activation is read and written as LayerCost counts it.
Work forward_work(const Slab& slab, DeviceLoad load);

// The weight gradient repeats the products with weights once, reads the activations again and accumulates;
// the input gradient repeats products with weights once and those between activations twice, and reads the
// weights.
Work backward_work(const Slab& slab, DeviceLoad load, Gradients gradients, Recompute recompute);

}  // namespace spillway
