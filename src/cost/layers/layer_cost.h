// The total cost of layers per unit of load: the sums over their operators. Totals serve sizes, model FLOPs
// and comparisons with published figures; slab_time.h prices the shapes of operators.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/quantity.h"
#include "cost/layers/layer.h"

namespace spillway {

// One device's part of a microbatch: its patches and pairs, or its share of the sequence's tokens and pairs.
struct DeviceLoad {
  double tokens = 0;
  double pairs = 0;
  std::optional<double> windowed = {};  // pairs that a window leaves; absent: as in sequences of one length

  friend bool operator==(const DeviceLoad&, const DeviceLoad&) = default;
};

// Bytes of weights by how devices share them, of one whole copy of the model.
struct WeightBytes {
  Bytes split;    // by tensor parallelism
  Bytes unsplit;  // on every member
  Bytes experts;

  WeightBytes& operator+=(const WeightBytes& other);
  friend bool operator==(const WeightBytes&, const WeightBytes&) = default;
};

struct LayerCost {
  std::uint64_t dense_parameters = 0;    // split by tensor parallelism, except the unsplit ones
  std::uint64_t unsplit_parameters = 0;  // the part of those on every member
  std::uint64_t expert_parameters = 0;   // routed experts, split by expert parallelism
  std::uint64_t frozen_dense = 0;        // the parts of those counts without gradients
  std::uint64_t frozen_unsplit = 0;
  std::uint64_t frozen_experts = 0;
  Flops frozen_weights_per_token;    // part of weights_per_token below
  std::uint64_t dense_matrices = 0;  // parameters with gradients in matrices of layers, which Muon updates
  std::uint64_t unsplit_matrices = 0;
  std::uint64_t expert_matrices = 0;
  double dense_tensors = 0;  // tensors with gradients: a weight each, a bias, an expert's weight
  double expert_tensors = 0;
  WeightBytes copies;            // of weights in FP8 or FP4
  WeightBytes replaced;          // the BF16 weights that primary copies replace
  WeightBytes trained_replaced;  // the part of those with gradients
  // Forward work. Products with weights and products between activations differ in their backward: each has
  // an input gradient per factor that is an activation, and a weight gradient per factor that is a weight.
  Flops weights_per_token;
  Flops mixing_per_token;
  Flops mixing_per_pair;
  Flops windowed_per_pair;      // of attention within a window
  std::uint32_t window = 0;     // tokens of the window, the same in all layers of a model that have one
  bool blocks = false;          // the window is the block of so many tokens that a token lies in
  Bytes activations_per_token;  // read and written by the forward, once for every operation
  KeptPerToken kept;

  LayerCost& operator+=(const LayerCost& other);
  friend LayerCost operator+(LayerCost a, const LayerCost& b) { return a += b; }
  friend bool operator==(const LayerCost&, const LayerCost&) = default;

  // The same with only the parameters that have gradients; other figures stay unchanged.
  LayerCost trained() const;
  std::uint64_t parameters() const { return dense_parameters + expert_parameters; }
  Flops weights(DeviceLoad load) const { return weights_per_token * load.tokens; }
  Flops mixing(DeviceLoad load) const;
  // The pairs of tokens of one sequence that the window leaves; all of them without a window.
  double windowed_pairs(double length) const;
  Flops forward(DeviceLoad load) const { return weights(load) + mixing(load); }
};

// The pairs of the full square that a window leaves, for sequences of one length. Causal attention counts
// half of them.
double pairs_within(std::uint32_t window, DeviceLoad load);

// The same for blocks of `window` tokens; tokens attend within their block.
double pairs_in_blocks(std::uint32_t window, DeviceLoad load);

// Returns true for the weights of layers that are matrices and have gradients: not for embeddings, heads and
// convolutions (Megatron-LM, megatron/core/optimizer/layer_wise_optimizer.py).
bool is_trained_matrix(const Operator& op);

LayerCost cost_of(const Layer& layer);
LayerCost cost_of(std::span<const Layer> layers);

}  // namespace spillway
