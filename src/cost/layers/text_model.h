// A decoder language model as public configurations describe it: attention, feed-forward or experts, norms
// and a vocabulary. Fields have the names of Hugging Face config.json keys; a family's reader renames keys
// that differ.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cost/layers/layer.h"
#include "cost/layers/linear_attention.h"
#include "cost/layers/text_attention.h"

namespace spillway {

// Two products with an activation between them: SwiGLU (three matrices), with biases or without, GELU (two,
// with biases), or two without biases (squared ReLU).
enum class FeedForward : std::uint8_t { SwiGlu, Gelu, SwiGluWithBiases, Plain };

// Mixture of experts, SwiGLU if gated. A layer has it if its index is at least first_k_dense_replace and its
// index plus one is a multiple of decoder_sparse_step; other layers are dense.
struct Experts {
  std::uint32_t n_routed_experts = 0;
  std::uint32_t num_experts_per_tok = 0;
  std::uint32_t n_group = 1;     // equal groups of routed experts
  std::uint32_t topk_group = 1;  // groups that a token's experts are chosen from
  std::uint32_t moe_intermediate_size = 0;
  std::uint32_t n_shared_experts = 0;
  std::uint32_t shared_expert_intermediate_size = 0;  // of each shared expert
  bool shared_expert_gate = false;                    // the sigmoid of a product to one number
  bool biases = false;                                // of the router and of every expert's products
  bool routing_bias = false;                          // for balancing without an auxiliary loss
  std::uint32_t first_k_dense_replace = 0;
  std::uint32_t dense_at_end = 0;  // layers behind the last one with experts
  std::uint32_t decoder_sparse_step = 1;
  bool gated = true;
  std::uint32_t moe_latent_size = 0;  // width of what routed experts read and write; 0: hidden_size
  std::uint32_t zero_experts = 0;     // further rows of the router, for experts that return their token
  bool router_scales = false;         // a factor for every element that the router reads

  friend bool operator==(const Experts&, const Experts&) = default;
};

using TokenMixer = std::variant<GroupedQueryAttention, LatentAttention, GatedDeltaNet, KimiDeltaAttention,
                                Mamba2, LightningAttention, ShortConvolution>;

// The feed-forward behind the mixers. Both: a dense one and experts, side by side, read one normed input.
enum class AfterMixers : std::uint8_t { Nothing, Dense, Sparse, Both };

// One kind of layer. It has mixers, a feed-forward, or one after the other.
struct LayerForm {
  std::vector<TokenMixer> mixers;    // several: side by side on one normed input, their outputs added
  std::uint32_t sliding_window = 0;  // of its softmax attention; 0: none
  AfterMixers feed_forward = AfterMixers::Dense;
  std::uint32_t intermediate_size = 0;  // of the dense one

  friend bool operator==(const LayerForm&, const LayerForm&) = default;
};

struct TextModel {
  std::uint32_t vocab_size = 0;
  std::uint32_t hidden_size = 0;
  std::uint32_t num_hidden_layers = 0;
  std::uint32_t intermediate_size = 0;  // of dense layers; unused if all layers have experts
  std::variant<GroupedQueryAttention, LatentAttention> attention;
  // Layers that are not all `attention` and what `experts` says. Layer i has the forms from i *
  // forms_per_layer of `order` on, which repeats. If there are forms, the windows below are not used, and
  // `attention` and `experts` are those of predictions.
  std::vector<LayerForm> forms = {};
  std::vector<std::uint8_t> order = {};
  std::uint32_t forms_per_layer = 1;
  // Tokens that attention reaches back to, in the layers that `windowed` marks. `windowed` repeats; empty: no
  // layer.
  std::uint32_t sliding_window = 0;
  std::vector<bool> windowed = {};
  bool window_blocks = false;  // a window is the block of sliding_window tokens that a token lies in
  // One kernel that keeps no scores; otherwise the scores pass through memory (layer.h, unfused_attention).
  bool fused_attention = true;
  FeedForward feed_forward = FeedForward::SwiGlu;
  std::optional<Experts> experts;
  NormKind norm = NormKind::Rms;
  bool input_norms = true;     // norms the inputs of attention and feed-forward
  bool output_norms = false;   // also norms their outputs
  bool parallel = false;       // both read one normed input, and both are added to it
  bool second_norm = false;    // with parallel: the feed-forward reads a norm of its own
  bool experts_norms = false;  // with Both: a norm before and after each of the two
  bool layer_scalars = false;  // a layer's output is multiplied by one learned number
  bool head_bias = false;
  std::uint32_t learned_positions = 0;  // rows; 0: none
  bool tie_word_embeddings = false;
  bool separate_vocabulary = false;  // embedding and head are separate layers, first and last
  // Multi-token prediction (arXiv 2412.19437, section 2.2): modules between the decoder layers and the head.
  // Each has a product of 2h x h before a layer, three norms, and another pass of the shared embedding and
  // head. All modules are one layer; their part of the head is in the head's layer, the last. Published
  // totals leave them out. They are priced as if the embedding's rows were on the same device.
  std::uint32_t num_nextn_predict_layers = 0;

  friend bool operator==(const TextModel&, const TextModel&) = default;
};

// Returns the forms of a layer: one if the model has none.
std::vector<LayerForm> forms_of(const TextModel& model, std::uint32_t layer);
bool is_sparse(const TextModel& model, std::uint32_t layer);
std::vector<Layer> layers_of(const TextModel& model);
std::vector<Violation> check_architecture(const TextModel& model);

}  // namespace spillway
