// What layers cost per unit of load in all: the sums over their operators. What a rank does with an
// operator's shape is the business of slab_time.h; totals are for sizes, model FLOPs, and comparisons with
// published figures.
#pragma once

#include <cstdint>
#include <span>

#include "base/quantity.h"
#include "cost/layers/layer.h"

namespace spillway {

// What one device has of a microbatch: its patches and pairs, or its share of the sequence's tokens and
// pairs.
struct DeviceLoad {
  double tokens = 0;
  double pairs = 0;

  friend bool operator==(const DeviceLoad&, const DeviceLoad&) = default;
};

struct LayerCost {
  std::uint64_t dense_parameters = 0;    // split by tensor parallelism, but for
  std::uint64_t unsplit_parameters = 0;  // of those: on every member
  std::uint64_t expert_parameters = 0;   // routed experts, split by expert parallelism
  std::uint64_t frozen_dense = 0;        // of those counts, without gradients
  std::uint64_t frozen_unsplit = 0;
  std::uint64_t frozen_experts = 0;
  Flops frozen_weights_per_token;  // of the products with weights below
  double dense_tensors = 0;        // of the parameters with gradients: a weight each, a bias, an expert's
  double expert_tensors = 0;
  std::uint64_t fp8_dense = 0;    // of the dense ones, multiplied in FP8
  std::uint64_t fp8_experts = 0;  // of those
  // Forward work. Matrix products with weights and those between activations differ in their backward: each
  // has an input gradient per factor that is an activation, and a weight gradient per factor that is a
  // weight.
  Flops weights_per_token;
  Flops mixing_per_token;
  Flops mixing_per_pair;
  Flops windowed_per_pair;      // of those, attention that does not reach beyond
  std::uint32_t window = 0;     // so many tokens, the same in all layers of a model that have one
  bool blocks = false;          // it is the block of so many tokens that a token lies in
  Bytes activations_per_token;  // read and written by the forward, every operation once
  KeptPerToken kept;

  LayerCost& operator+=(const LayerCost& other);
  friend LayerCost operator+(LayerCost a, const LayerCost& b) { return a += b; }
  friend bool operator==(const LayerCost&, const LayerCost&) = default;

  // What of the counts of parameters has gradients; the rest as it is.
  LayerCost trained() const;
  std::uint64_t parameters() const { return dense_parameters + expert_parameters; }
  Flops weights(DeviceLoad load) const { return weights_per_token * load.tokens; }
  Flops mixing(DeviceLoad load) const;
  Flops forward(DeviceLoad load) const { return weights(load) + mixing(load); }
};

// Of sequences of one length, the pairs of the full square that a window leaves, of which causal attention
// counts half.
double pairs_within(std::uint32_t window, DeviceLoad load);

// Of the full square likewise, what blocks of `window` tokens leaves, each of which attends within itself.
double pairs_in_blocks(std::uint32_t window, DeviceLoad load);

LayerCost cost_of(const Layer& layer);
LayerCost cost_of(std::span<const Layer> layers);

}  // namespace spillway
