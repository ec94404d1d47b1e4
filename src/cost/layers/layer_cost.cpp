#include "cost/layers/layer_cost.h"

namespace spillway {
namespace {

LayerCost cost_of(const Operator& op) {
  LayerCost cost;
  if (op.share == Share::Experts) {
    cost.expert_parameters = op.parameters;
  } else {
    cost.dense_parameters = op.parameters;
    if (op.share == Share::Tokens) cost.unsplit_parameters = op.parameters;
  }
  cost.weights_per_token = op.weights_per_token();
  cost.mixing_per_token = op.scan_per_token;
  cost.mixing_per_pair = op.mixing_per_pair();
  cost.activations_per_token = op.traffic_per_token;
  cost.kept = op.kept;
  return cost;
}

}  // namespace

LayerCost& LayerCost::operator+=(const LayerCost& other) {
  dense_parameters += other.dense_parameters;
  unsplit_parameters += other.unsplit_parameters;
  expert_parameters += other.expert_parameters;
  weights_per_token += other.weights_per_token;
  mixing_per_token += other.mixing_per_token;
  mixing_per_pair += other.mixing_per_pair;
  activations_per_token += other.activations_per_token;
  kept += other.kept;
  return *this;
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
