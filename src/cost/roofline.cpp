#include "cost/roofline.h"

#include "cost/conventions.h"

namespace spillway {
namespace {

Bytes activations(const Slab& slab, DeviceLoad load) {
  return slab.cost.activations_per_token * load.tokens;
}

void add(Work& work, Flops flops, Bytes traffic) {
  work.flops += flops;
  work.traffic += traffic;
}

}  // namespace

Work forward_work(const Slab& slab, DeviceLoad load) {
  return {slab.cost.forward(load), slab.weights + activations(slab, load)};
}

Work backward_work(const Slab& slab, DeviceLoad load, Gradients gradients, Recompute recompute) {
  Work work;
  if (!gradients.any()) return work;
  const Work forward = forward_work(slab, load);
  const Flops mixing = slab.cost.mixing(load);
  if (gradients.weight) {
    add(work, slab.cost.weights(load),
        activations(slab, load) + slab.weights * (kGradientTraffic / kElement));
  }
  if (gradients.input) add(work, forward.flops + mixing, forward.traffic);
  if (recompute == Recompute::Selective) add(work, mixing, Bytes());
  if (recompute == Recompute::Full) add(work, forward.flops, forward.traffic);
  return work;
}

}  // namespace spillway
