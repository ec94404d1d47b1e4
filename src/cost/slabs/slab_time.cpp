#include "cost/slabs/slab_time.h"

#include <algorithm>

namespace spillway {
namespace {

// Time on the device, and how often the host issues something.
struct Issued {
  Seconds device;
  double kernels = 0;

  void add(const Estimate& estimate, double count, double kernels_each) {
    if (estimate.time == Seconds()) return;
    device += estimate.time * count;
    kernels += count * kernels_each;
  }
  Seconds time(Seconds launch) const { return std::max(device, kernels * launch); }
};

// Where a layer's modules begin and end is of no more use.
Operator alone(Operator op) {
  op.inside = op.made_by = {};
  return op;
}

}  // namespace

std::vector<CountedOperator> counted_operators(std::span<const Layer> layers,
                                               const Recomputation& recomputation) {
  std::vector<CountedOperator> counted;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    for (const Operator& whole : layers[layer].operators) {
      const double again = repeated(whole, recomputation, layer);
      const Operator op = alone(whole);
      const auto same = std::ranges::find(counted, op, &CountedOperator::op);
      if (same == counted.end()) {
        counted.push_back({op, 1, again});
      } else {
        same->count += 1;
        same->repeated += again;
      }
    }
  }
  return counted;
}

SlabTimes slab_times(std::span<const CountedOperator> operators, const Split& split, const SlabLoad& load,
                     const OperatorTimes& times, Gradients gradients, Seconds launch) {
  SlabTimes slab;
  if (load.tokens <= 0) return slab;
  Issued forward, input, once, weight;  // once: what nothing computes again
  for (const auto& [op, count, again] : operators) {
    const OperatorPasses passes = operator_passes(op, split, load, times);
    forward.add(passes.forward, count, op.kernels.forward);
    if (op.kind == OperatorKind::Attention) {
      slab.attention_forward += passes.forward.time * count;
      slab.attention_backward += passes.input_gradient.time * count;
    }
    if (gradients.weight && !op.frozen) weight.add(passes.weight_gradient, count, op.kernels.weight_gradient);
    if (!gradients.input) continue;
    input.add(passes.input_gradient, count, op.kernels.input_gradient);
    once.add(passes.input_gradient, count, op.kernels.input_gradient);
    if (again > 0) input.add(passes.forward, again, op.kernels.forward);
  }
  slab.forward = forward.time(launch);
  slab.attention_forward += slab.forward - forward.device;
  slab.input_gradient = input.time(launch);
  slab.attention_backward += slab.input_gradient - input.device;
  slab.recomputed = slab.input_gradient - once.time(launch);
  slab.weight_gradient = weight.time(launch);
  return slab;
}

}  // namespace spillway
