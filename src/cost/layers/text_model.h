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
#include "cost/layers/text_attention.h"

namespace spillway {

// Two products with an activation between them: SwiGLU (three matrices, no biases) or GELU (two, with
// biases).
enum class FeedForward : std::uint8_t { SwiGlu, Gelu };

// Mixture of SwiGLU experts. A layer has it if its index is at least first_k_dense_replace and its index plus
// one is a multiple of decoder_sparse_step; other layers are dense.
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
  // The layer's dense feed-forward runs beside the experts. Each has its own norm before and after it, and
  // the router scales its input and its experts (Gemma 4).
  bool beside_dense = false;

  friend bool operator==(const Experts&, const Experts&) = default;
};

// In a hybrid stack every full_attention_interval-th layer has `attention`; the others have a gated delta
// net.
struct HybridAttention {
  GatedDeltaNet linear;
  std::uint32_t full_attention_interval = 0;

  friend bool operator==(const HybridAttention&, const HybridAttention&) = default;
};

struct TextModel {
  std::uint32_t vocab_size = 0;
  std::uint32_t hidden_size = 0;
  std::uint32_t num_hidden_layers = 0;
  std::uint32_t intermediate_size = 0;  // of dense layers; unused if all layers have experts
  std::variant<GroupedQueryAttention, LatentAttention> attention;
  std::optional<GroupedQueryAttention> global_attention;  // of layers without a window, if it is another
  std::optional<HybridAttention> hybrid;
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
  bool output_norms = false;            // also norms the outputs of attention and feed-forward
  bool layer_scalars = false;           // a layer's output is multiplied by one learned number
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

bool is_sparse(const TextModel& model, std::uint32_t layer);
std::vector<Layer> layers_of(const TextModel& model);
std::vector<Violation> check_architecture(const TextModel& model);

}  // namespace spillway
