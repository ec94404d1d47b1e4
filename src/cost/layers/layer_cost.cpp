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

void add_cost(const Operator& op, LayerCost& to) {
  const bool expert = op.share == Share::Experts, unsplit = op.share == Share::Tokens;
  (expert ? to.expert_tensors : to.dense_tensors) += tensors_of(op);
  (expert ? to.expert_parameters : to.dense_parameters) += op.parameters;
  if (unsplit) to.unsplit_parameters += op.parameters;
  if (is_trained_matrix(op)) {
    const auto weights = static_cast<std::uint64_t>(multiplied(op));
    (expert ? to.expert_matrices : to.dense_matrices) += weights;
    if (unsplit) to.unsplit_matrices += weights;
  }
  if (op.frozen) {
    (expert ? to.frozen_experts : to.frozen_dense) += op.parameters;
    if (unsplit) to.frozen_unsplit += op.parameters;
    to.frozen_weights_per_token += op.weights_per_token();
  }
  if (op.weight_copies > Bytes()) {
    bytes_part(op, to.copies) += op.weight_copies * multiplied(op);
    const Bytes replaced = op.primary_copies ? kElement * multiplied(op) : Bytes();
    bytes_part(op, to.replaced) += replaced;
    if (!op.frozen) bytes_part(op, to.trained_replaced) += replaced;
  }
  to.weights_per_token += op.weights_per_token();
  to.mixing_per_token += op.scan_per_token;
  (op.window > 0 ? to.windowed_per_pair : to.mixing_per_pair) += op.mixing_per_pair();
  to.window = std::max(to.window, op.window);
  to.blocks = to.blocks || op.blocks;
  to.activations_per_token += op.traffic_per_token;
  to.kept += op.kept;
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
  dense_matrices += other.dense_matrices;
  unsplit_matrices += other.unsplit_matrices;
  expert_matrices += other.expert_matrices;
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

bool is_trained_matrix(const Operator& op) {
  return is_product(op) && !op.frozen && !op.at_end && op.name != "patch embedding" &&
         op.name != "frame convolution";
}

LayerCost cost_of(const Layer& layer) {
  LayerCost total;
  for (const Operator& op : layer.operators) add_cost(op, total);
  return total;
}

LayerCost cost_of(std::span<const Layer> layers) {
  LayerCost total;
  for (const Layer& layer : layers) total += cost_of(layer);
  return total;
}

}  // namespace spillway
