#include "cost/layers/layer_cost.h"

#include <algorithm>

namespace spillway {
namespace {

// The number of tensors, as Megatron-LM keeps them.
double tensors_of(const Operator& op) {
  if (op.parameters == 0 || op.frozen) return 0;
  if (op.kind == OperatorKind::GroupedGemm) return op.groups;
  return is_product(op) && op.parameters > op.k * op.n ? 2 : 1;
}

void add_fp8(const Operator& op, LayerCost& cost) {
  if (op.cast == Bytes()) return;
  const bool experts = op.share == Share::Experts;
  if (op.frozen_weight == Bytes()) {
    (experts ? cost.fp8_experts : cost.fp8_dense) = op.parameters;
    return;
  }
  (experts ? cost.alone_in_fp8_experts : cost.alone_in_fp8_dense) = op.parameters;
  (experts ? cost.frozen_fp8_experts : cost.frozen_fp8_dense) =
      op.frozen_weight * static_cast<double>(op.parameters);
}

LayerCost cost_of(const Operator& op) {
  LayerCost cost;
  (op.share == Share::Experts ? cost.expert_tensors : cost.dense_tensors) = tensors_of(op);
  if (op.share == Share::Experts) {
    cost.expert_parameters = op.parameters;
  } else {
    cost.dense_parameters = op.parameters;
    if (op.share == Share::Tokens) cost.unsplit_parameters = op.parameters;
  }
  if (op.frozen) {
    cost.frozen_dense = cost.dense_parameters;
    cost.frozen_unsplit = cost.unsplit_parameters;
    cost.frozen_experts = cost.expert_parameters;
    cost.frozen_weights_per_token = op.weights_per_token();
  }
  add_fp8(op, cost);
  cost.weights_per_token = op.weights_per_token();
  cost.mixing_per_token = op.scan_per_token;
  (op.window > 0 ? cost.windowed_per_pair : cost.mixing_per_pair) = op.mixing_per_pair();
  cost.window = op.window;
  cost.blocks = op.blocks;
  cost.activations_per_token = op.traffic_per_token;
  cost.kept = op.kept;
  return cost;
}

}  // namespace

LayerCost& LayerCost::operator+=(const LayerCost& other) {
  dense_parameters += other.dense_parameters;
  unsplit_parameters += other.unsplit_parameters;
  expert_parameters += other.expert_parameters;
  frozen_dense += other.frozen_dense;
  frozen_unsplit += other.frozen_unsplit;
  frozen_experts += other.frozen_experts;
  frozen_weights_per_token += other.frozen_weights_per_token;
  dense_tensors += other.dense_tensors;
  expert_tensors += other.expert_tensors;
  fp8_dense += other.fp8_dense;
  fp8_experts += other.fp8_experts;
  alone_in_fp8_dense += other.alone_in_fp8_dense;
  alone_in_fp8_experts += other.alone_in_fp8_experts;
  frozen_fp8_dense += other.frozen_fp8_dense;
  frozen_fp8_experts += other.frozen_fp8_experts;
  weights_per_token += other.weights_per_token;
  mixing_per_token += other.mixing_per_token;
  mixing_per_pair += other.mixing_per_pair;
  windowed_per_pair += other.windowed_per_pair;
  window = std::max(window, other.window);
  blocks = blocks || other.blocks;
  activations_per_token += other.activations_per_token;
  kept += other.kept;
  return *this;
}

// The first tokens of a sequence have fewer tokens before them: n w - w^2 / 2 of n^2 / 2 pairs.
double pairs_within(std::uint32_t window, DeviceLoad load) {
  const double length = load.tokens > 0 ? load.pairs / load.tokens : 0;
  if (length <= window) return load.pairs;
  return load.tokens * (2.0 * window - static_cast<double>(window) * window / length);
}

double pairs_in_blocks(std::uint32_t window, DeviceLoad load) {
  return std::min(load.pairs, load.tokens * window);
}

Flops LayerCost::mixing(DeviceLoad load) const {
  const Flops whole = mixing_per_token * load.tokens + mixing_per_pair * load.pairs;
  if (window == 0) return whole;
  return whole + windowed_per_pair * (blocks ? pairs_in_blocks(window, load) : pairs_within(window, load));
}

LayerCost LayerCost::trained() const {
  LayerCost trained = *this;
  trained.dense_parameters -= frozen_dense;
  trained.unsplit_parameters -= frozen_unsplit;
  trained.expert_parameters -= frozen_experts;
  return trained;
}

LayerCost cost_of(const Layer& layer) {
  LayerCost total;
  for (const Operator& op : layer.operators) total += cost_of(op);
  return total;
}

LayerCost cost_of(std::span<const Layer> layers) {
  LayerCost total;
  for (const Layer& layer : layers) total += cost_of(layer);
  return total;
}

}  // namespace spillway
