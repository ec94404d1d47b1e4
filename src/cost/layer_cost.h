// What one layer costs per unit of load, on one whole copy of the model: the coefficients an architecture
// file yields and a slab sums. A token is a backbone token or, in an encoder, a patch; a pair is two of them
// that attend to each other's sequence, so a sequence (or an image) of n tokens has n^2.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// What one device has of a microbatch: its patches and pairs, or its share of the sequence's tokens and
// pairs.
struct DeviceLoad {
  double tokens = 0;
  double pairs = 0;

  friend bool operator==(const DeviceLoad&, const DeviceLoad&) = default;
};

// What a forward leaves in memory per token. A tensor that several operations read counts once, with one of
// them.
struct KeptPerToken {
  Bytes for_backward;        // until both gradients are computed
  Bytes for_input_gradient;  // until the input gradient is, where there is no weight gradient: frozen layers
  // From the input gradient until the weight gradient, where they are apart: the inputs of the products with
  // weights, and the gradients of their outputs.
  Bytes between_gradients;

  KeptPerToken& operator+=(const KeptPerToken& other);
  friend KeptPerToken operator*(KeptPerToken kept, double times) {
    return {kept.for_backward * times, kept.for_input_gradient * times, kept.between_gradients * times};
  }
  friend bool operator==(const KeptPerToken&, const KeptPerToken&) = default;
};

struct LayerCost {
  std::uint64_t dense_parameters = 0;   // split by tensor parallelism
  std::uint64_t expert_parameters = 0;  // routed experts, split by expert parallelism
  // Forward work. Matrix products with weights and those between activations differ in their backward: each
  // has an input gradient per factor that is an activation, and a weight gradient per factor that is a
  // weight.
  Flops weights_per_token;
  Flops mixing_per_token;
  Flops mixing_per_pair;
  Bytes activations_per_token;  // read and written by the forward, every operation once, attention fused
  KeptPerToken kept;
  // Collectives of the forward, tensor parallelism with sequence parallelism: each moves tokens x width
  // elements.
  std::uint32_t all_gathers = 0;
  std::uint32_t reduce_scatters = 0;
  // Expert parallelism: a mixture-of-experts layer dispatches top-k copies of each token and combines as
  // many.
  std::uint32_t all_to_alls = 0;
  std::uint32_t expert_copies = 0;  // copies of a token that those carry in all

  LayerCost& operator+=(const LayerCost& other);
  friend LayerCost operator+(LayerCost a, const LayerCost& b) { return a += b; }
  friend bool operator==(const LayerCost&, const LayerCost&) = default;

  std::uint64_t parameters() const { return dense_parameters + expert_parameters; }
  Flops weights(DeviceLoad load) const { return weights_per_token * load.tokens; }
  Flops mixing(DeviceLoad load) const {
    return mixing_per_token * load.tokens + mixing_per_pair * load.pairs;
  }
  Flops forward(DeviceLoad load) const { return weights(load) + mixing(load); }
};

// The operations layers are made of. What each keeps follows Korthikanti et al. 2022 (arXiv 2205.05198,
// section 4.1): products with weights their input, norms theirs, non-linear functions theirs, sums nothing;
// what is smaller than a number per element (statistics of norms, dropout masks) is left out.
LayerCost linear(std::uint64_t in, std::uint64_t out);
LayerCost linear_with_bias(std::uint64_t in, std::uint64_t out);
LayerCost rms_norm(std::uint64_t width);
LayerCost layer_norm(std::uint64_t width);  // with bias
LayerCost residual(std::uint64_t width);    // x + y
// Reads `in` and writes `out` elements per token without a matrix product and keeps nothing: sums, copies,
// rotary embedding.
LayerCost elementwise(std::uint64_t in, std::uint64_t out);
// The same, but its gradient depends on its input: activations, gates.
LayerCost nonlinear(std::uint64_t in, std::uint64_t out);
// `operation` on an input of `width` elements that an operation beside it keeps already.
LayerCost on_shared_input(LayerCost operation, std::uint64_t width);
LayerCost swiglu(std::uint64_t width, std::uint64_t inner);  // gate and up as one product, then down
LayerCost mlp(std::uint64_t width, std::uint64_t inner);     // two products with bias, an activation between
// Routed experts: a router over all of them, `chosen` SwiGLU experts per token, tokens sent and combined. The
// router's weights join before the second product, as in Megatron-LM (weighted SwiGLU), so that the experts'
// outputs are not kept; each expert keeps its own copy of the token.
LayerCost routed_experts(std::uint64_t width, std::uint64_t inner, std::uint32_t experts,
                         std::uint32_t chosen);
// Fused softmax attention of tokens within their own sequence; reads q, k, v and writes o once. Keeps them
// and an FP32 statistic per query head, never the scores (Dao et al. 2022, arXiv 2205.14135); what reads o
// keeps it, or attention itself where that is frozen.
struct AttentionHeads {
  std::uint64_t query;      // heads
  std::uint64_t key_value;  // heads
  std::uint64_t key_width;
  std::uint64_t value_width;
};
LayerCost attention(const AttentionHeads& heads, bool causal);
// A table of which each token reads one row. The roofline lets a slab read the whole table, as any weight.
LayerCost embedding(std::uint64_t rows, std::uint64_t width);
// Final norm, logits, softmax and loss over `rows` classes; keeps the softmax in FP32 for the loss.
LayerCost head(std::uint64_t width, std::uint64_t rows);
// The collectives around one tensor-parallel sublayer: gather the sequence, scatter the partial sums.
LayerCost tensor_parallel_sublayer();
// The ends of a language model: the embedding with the first layer, the head with the last, tables apart.
// Contract: at least one layer.
void add_vocabulary(std::vector<LayerCost>& layers, std::uint64_t width, std::uint64_t rows);

}  // namespace spillway
