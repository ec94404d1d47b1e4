#include "cost/slabs/slab_time.h"

#include <algorithm>

#include "base/error.h"

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

bool between_activations(const Operator& op) {
  return op.kind == OperatorKind::Attention || op.traffic_per_pair > Bytes();
}

// The share of an operator's forwards that a backward repeats.
double repeated(const Operator& op, Recompute recompute) {
  switch (recompute) {
    case Recompute::None:
      return 0;
    case Recompute::Selective:
      return between_activations(op) ? 1 : 0;
    case Recompute::Alternate:
      if (op.kind == OperatorKind::Attention) return 0;
      return op.kind == OperatorKind::Memory ? 1 : kAlternate;
    case Recompute::Full:
      return 1;
  }
  throw ContractBreach("unknown recomputation");
}

}  // namespace

std::vector<CountedOperator> counted_operators(std::span<const Layer> layers) {
  std::vector<CountedOperator> counted;
  for (const Layer& layer : layers) {
    for (const Operator& op : layer.operators) {
      const auto same = std::find_if(counted.begin(), counted.end(),
                                     [&](const CountedOperator& known) { return known.op == op; });
      if (same == counted.end()) {
        counted.push_back({op, 1});
      } else {
        same->count += 1;
      }
    }
  }
  return counted;
}

SlabTimes slab_times(std::span<const CountedOperator> operators, const Split& split, const SlabLoad& load,
                     const OperatorTimes& times, Gradients gradients, Recompute recompute, Seconds launch) {
  SlabTimes slab;
  if (load.tokens <= 0) return slab;
  Issued forward, input, once, weight;  // once: what nothing computes again
  for (const auto& [op, count] : operators) {
    const OperatorPasses passes = operator_passes(op, split, load, times);
    forward.add(passes.forward, count, op.kernels.forward);
    if (op.kind == OperatorKind::Attention) {
      slab.attention_forward += passes.forward.time * count;
      slab.attention_backward += passes.input_gradient.time * count;
    }
    if (gradients.weight) weight.add(passes.weight_gradient, count, op.kernels.weight_gradient);
    if (!gradients.input) continue;
    input.add(passes.input_gradient, count, op.kernels.input_gradient);
    once.add(passes.input_gradient, count, op.kernels.input_gradient);
    if (const double again = count * repeated(op, recompute); again > 0)
      input.add(passes.forward, again, op.kernels.forward);
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
