#include "cost/slabs/slab_time.h"

#include <algorithm>

namespace spillway {
namespace {

// Time on the device, and how often the host issues something.
struct Issued {
  Seconds device;
  double operators = 0;

  void add(const Estimate& estimate, double count) {
    if (estimate.time == Seconds()) return;
    device += estimate.time * count;
    operators += count;
  }
  Seconds time(Seconds host_overhead) const { return std::max(device, operators * host_overhead); }
};

bool between_activations(const Operator& op) {
  return op.kind == OperatorKind::Attention || op.traffic_per_pair > Bytes();
}

bool is_recomputed(const Operator& op, Recompute recompute) {
  return recompute == Recompute::Full || (recompute == Recompute::Selective && between_activations(op));
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
                     const OperatorTimes& times, Gradients gradients, Recompute recompute,
                     Seconds host_overhead) {
  SlabTimes slab;
  if (load.tokens <= 0) return slab;
  Issued forward, input, weight;
  for (const auto& [op, count] : operators) {
    const OperatorPasses passes = operator_passes(op, split, load, times);
    forward.add(passes.forward, count);
    if (op.kind == OperatorKind::Attention) {
      slab.attention_forward += passes.forward.time * count;
      slab.attention_backward += passes.input_gradient.time * count;
    }
    if (gradients.weight) weight.add(passes.weight_gradient, count);
    if (!gradients.input) continue;
    input.add(passes.input_gradient, count);
    if (is_recomputed(op, recompute)) input.add(passes.forward, count);
  }
  slab.forward = forward.time(host_overhead);
  slab.attention_forward += slab.forward - forward.device;
  slab.input_gradient = input.time(host_overhead);
  slab.attention_backward += slab.input_gradient - input.device;
  slab.weight_gradient = weight.time(host_overhead);
  return slab;
}

}  // namespace spillway
