#include "cost/layer_cost.h"

#include "cost/conventions.h"

namespace spillway {
namespace {

Bytes elements(std::uint64_t count) {
  return kElement * static_cast<double>(count);
}
Flops macs(std::uint64_t count) {
  return Flops(kFlopsPerMac * static_cast<double>(count));
}

// Kept for either gradient, and not between them.
void keep(LayerCost& cost, Bytes bytes) {
  cost.kept.for_backward += bytes;
  cost.kept.for_input_gradient += bytes;
}

LayerCost norm(std::uint64_t parameters, std::uint64_t width) {
  LayerCost cost = nonlinear(width, width);
  cost.dense_parameters = parameters;
  return cost;
}

}  // namespace

KeptPerToken& KeptPerToken::operator+=(const KeptPerToken& other) {
  for_backward += other.for_backward;
  for_input_gradient += other.for_input_gradient;
  between_gradients += other.between_gradients;
  return *this;
}

LayerCost& LayerCost::operator+=(const LayerCost& other) {
  dense_parameters += other.dense_parameters;
  expert_parameters += other.expert_parameters;
  weights_per_token += other.weights_per_token;
  mixing_per_token += other.mixing_per_token;
  mixing_per_pair += other.mixing_per_pair;
  activations_per_token += other.activations_per_token;
  kept += other.kept;
  all_gathers += other.all_gathers;
  reduce_scatters += other.reduce_scatters;
  all_to_alls += other.all_to_alls;
  expert_copies += other.expert_copies;
  return *this;
}

LayerCost linear(std::uint64_t in, std::uint64_t out) {
  LayerCost cost = elementwise(in, out);
  cost.dense_parameters = in * out;
  cost.weights_per_token = macs(in * out);
  cost.kept.for_backward = elements(in);
  cost.kept.between_gradients = elements(in + out);
  return cost;
}

LayerCost linear_with_bias(std::uint64_t in, std::uint64_t out) {
  LayerCost cost = linear(in, out);
  cost.dense_parameters += out;
  return cost;
}

LayerCost rms_norm(std::uint64_t width) {
  return norm(width, width);
}

LayerCost layer_norm(std::uint64_t width) {
  return norm(2 * width, width);
}

LayerCost residual(std::uint64_t width) {
  return elementwise(2 * width, width);
}

LayerCost elementwise(std::uint64_t in, std::uint64_t out) {
  LayerCost cost;
  cost.activations_per_token = elements(in + out);
  return cost;
}

LayerCost nonlinear(std::uint64_t in, std::uint64_t out) {
  LayerCost cost = elementwise(in, out);
  keep(cost, elements(in));
  return cost;
}

LayerCost on_shared_input(LayerCost operation, std::uint64_t width) {
  operation.kept.for_backward -= elements(width);
  operation.kept.between_gradients -= elements(width);
  return operation;
}

LayerCost swiglu(std::uint64_t width, std::uint64_t inner) {
  return linear(width, 2 * inner) + nonlinear(2 * inner, inner) + linear(inner, width);
}

LayerCost mlp(std::uint64_t width, std::uint64_t inner) {
  return linear_with_bias(width, inner) + nonlinear(inner, inner) + linear_with_bias(inner, width);
}

LayerCost routed_experts(std::uint64_t width, std::uint64_t inner, std::uint32_t experts,
                         std::uint32_t chosen) {
  LayerCost cost = linear(width, experts);
  const LayerCost expert = swiglu(width, inner);
  cost.expert_parameters = expert.dense_parameters * experts;
  cost.weights_per_token += expert.weights_per_token * chosen;
  cost.activations_per_token += expert.activations_per_token * chosen;
  cost.kept += expert.kept * chosen;
  keep(cost, elements(experts));  // the scores
  cost += elementwise(width, chosen * width) + elementwise(chosen * width, width);
  cost.all_to_alls = 2;
  cost.expert_copies = 2 * chosen;
  return cost;
}

LayerCost attention(const AttentionHeads& heads, bool causal) {
  const std::uint64_t read =
      heads.query * heads.key_width + heads.key_value * (heads.key_width + heads.value_width);
  LayerCost cost = elementwise(read, heads.query * heads.value_width);
  const Bytes statistics = kStatistic * static_cast<double>(heads.query);
  cost.kept.for_backward = elements(read) + statistics;
  cost.kept.for_input_gradient = cost.kept.for_backward + elements(heads.query * heads.value_width);
  const double share = causal ? kCausalShare : 1.0;
  cost.mixing_per_pair = share * macs(heads.query * (heads.key_width + heads.value_width));
  return cost;
}

LayerCost embedding(std::uint64_t rows, std::uint64_t width) {
  LayerCost cost = elementwise(width, width);
  cost.dense_parameters = rows * width;
  return cost;
}

LayerCost head(std::uint64_t width, std::uint64_t rows) {
  LayerCost cost = rms_norm(width) + linear(width, rows) + elementwise(rows, rows);
  keep(cost, kStatistic * static_cast<double>(rows));
  return cost;
}

LayerCost tensor_parallel_sublayer() {
  LayerCost cost;
  cost.all_gathers = 1;
  cost.reduce_scatters = 1;
  return cost;
}

void add_vocabulary(std::vector<LayerCost>& layers, std::uint64_t width, std::uint64_t rows) {
  layers.front() += embedding(rows, width);
  layers.front().reduce_scatters += 1;  // rows of the table lie on different members
  layers.back() += head(width, rows);
  layers.back().all_gathers += 1;
}

}  // namespace spillway
