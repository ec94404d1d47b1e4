#include "cost/layers/layer_cost.h"

#include <algorithm>

#include "cost/layers/conventions.h"

namespace spillway {
namespace {

// The number of tensors, as Megatron-LM keeps them.
double tensors_of(const Operator& op) {
  if (op.parameters == 0 || op.frozen) return 0;
  if (op.kind == OperatorKind::GroupedGemm) return op.groups;
  return is_product(op) && op.parameters > op.k * op.n ? 2 : 1;
}

Bytes& bytes_part(const Operator& op, WeightBytes& bytes) {
  if (op.share == Share::Experts) return bytes.experts;
  return op.share == Share::Tokens ? bytes.unsplit : bytes.split;
}

// Without the bias, which stays in BF16.
double multiplied(const Operator& op) {
  const std::uint64_t weights = op.k * op.n * op.groups;
  return static_cast<double>(std::min(op.parameters, weights));
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
  if (op.weight_copies > Bytes()) {
    bytes_part(op, cost.copies) = op.weight_copies * multiplied(op);
    if (op.primary_copies) bytes_part(op, cost.replaced) = kElement * multiplied(op);
    if (!op.frozen) cost.trained_replaced = cost.replaced;
  }
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

WeightBytes& WeightBytes::operator+=(const WeightBytes& other) {
  split += other.split;
  unsplit += other.unsplit;
  experts += other.experts;
  return *this;
}

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
  copies += other.copies;
  replaced += other.replaced;
  trained_replaced += other.trained_replaced;
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
  if (load.windowed) return whole + windowed_per_pair * *load.windowed;
  return whole + windowed_per_pair * (blocks ? pairs_in_blocks(window, load) : pairs_within(window, load));
}

double LayerCost::windowed_pairs(double length) const {
  const DeviceLoad sequence{length, length * length};
  if (window == 0) return sequence.pairs;
  return blocks ? pairs_in_blocks(window, sequence) : pairs_within(window, sequence);
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
