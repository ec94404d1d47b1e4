// What a layer is made of: operators, each with the shape that its time is looked up by, and the collectives
// around them. Everything is per token, of one whole copy of the model; a token is a backbone token or, in an
// encoder, a patch. A pair is two tokens that attend to each other's sequence: a sequence (or an image) of n
// tokens has n^2.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "cost/layers/modules.h"
#include "cost/network/expert_routing.h"
#include "platform/evidence.h"

namespace spillway {

// Gemm         [tokens x k] times [k x n], weights k x n
// GroupedGemm  the same for each of `groups` experts, on the tokens routed to it
// Attention    softmax attention of tokens within their own sequence
// Scan         linear attention: products between activations, linear in tokens
// Memory       bound by memory traffic: norms, activations, sums, embeddings
enum class OperatorKind : std::uint8_t { Gemm, GroupedGemm, Attention, Scan, Memory };

// Which part of an operator a member of a tensor-parallel group of T has (Megatron-LM, arXiv 1909.08053, and
// sequence parallelism, arXiv 2205.05198):
//   Columns  all tokens, n/T outputs; its input lies outside the sublayer
//   Rows     all tokens, k/T inputs; its output is a partial sum that leaves the sublayer
//   Inner    between those two: all tokens, 1/T of the elements or heads
//   Tokens   outside: tokens/T with sequence parallelism, all of them without; parameters on every member
//   Experts  tokens/T, as routed; experts lie on an expert-parallel group
enum class Share : std::uint8_t { Columns, Rows, Inner, Tokens, Experts };

// What a forward leaves in memory per token. A tensor that several operations read counts once, with one of
// them.
struct KeptPerToken {
  Bytes for_backward = {};        // until both gradients are computed
  Bytes for_input_gradient = {};  // until the input gradient is, where there is no weight gradient: frozen
  // From the input gradient until the weight gradient, where they are apart: the inputs of the products with
  // weights, and the gradients of their outputs.
  Bytes between_gradients = {};

  KeptPerToken& operator+=(const KeptPerToken& other);
  friend KeptPerToken operator*(KeptPerToken kept, double times) {
    return {kept.for_backward * times, kept.for_input_gradient * times, kept.between_gradients * times};
  }
  friend bool operator==(const KeptPerToken&, const KeptPerToken&) = default;
};

// Layer norms have a bias.
enum class NormKind : std::uint8_t { Rms, Layer };

struct AttentionHeads {
  std::uint64_t query = 0;      // heads
  std::uint64_t key_value = 0;  // heads
  std::uint64_t key_width = 0;
  std::uint64_t value_width = 0;

  friend bool operator==(const AttentionHeads&, const AttentionHeads&) = default;
};

// How often the host launches something for one operator.
struct Kernels {
  double forward = 1;
  double input_gradient = 1;
  double weight_gradient = 1;
  std::uint32_t waits = 0;  // of the host for the device, during a forward

  friend bool operator==(const Kernels&, const Kernels&) = default;
};

struct Operator {
  OperatorKind kind = OperatorKind::Memory;
  Share share = Share::Tokens;
  std::string_view name = "";
  double rows_per_token = 1;     // Gemm, GroupedGemm: top-k for experts, 1/4 behind a merger of four patches
  std::uint64_t k = 0;           // Gemm, GroupedGemm
  std::uint64_t n = 0;           // Gemm, GroupedGemm
  std::uint32_t groups = 1;      // GroupedGemm: experts
  AttentionHeads heads = {};     // Attention
  bool causal = false;           // Attention
  bool fused = true;             // Attention: scores never in memory
  bool pads_values = false;      // Attention: its kernel has heads of one width, that of keys
  std::uint32_t window = 0;      // Attention: the last so many tokens, itself among them; 0: all before it
  bool blocks = false;           // Attention: its window is the block of so many tokens that it lies in
  Flops scan_per_token = {};     // Scan
  Bytes traffic_per_token = {};  // activations read and written by the forward
  Bytes more_in_gradient = {};   // Memory: read and written by the gradient beside that and what is kept
  Bytes traffic_per_pair = {};   // Memory, of the full square: what unfused attention does to the scores
  std::uint64_t parameters = 0;
  KeptPerToken kept = {};
  KeptPerToken kept_outside = {};  // of `kept`: outside the tensor-parallel sublayer
  Bytes kept_per_pair = {};        // Memory, of the full square: what unfused attention keeps of the scores
  // What is alive while it runs, beside its inputs, its outputs and their gradients: buffers of an exchange.
  Bytes buffers_per_token = {};
  bool in_place = false;   // its gradient takes the place of what it keeps
  bool frozen = false;     // its weights are as they are: no gradient, no optimizer
  bool at_end = false;     // of its model, outside of what is recomputed as a layer: an embedding, a head
  bool past_stop = false;  // not repeated: a recomputation that stops early has all it needs before it
  Modules inside = {};     // what it is a part of
  Modules made_by = {};    // what makes again what it reads and keeps
  // In FP8 (fp8.h): what it moves to cast an element of its input, or of its output's gradient; 0: in BF16.
  Bytes cast = {};
  // As a framework runs it (execution.h).
  Kernels kernels = {};
  double forward_traffic = 1;  // bytes moved over those above, where memory bounds it
  double gradient_traffic = 1;
  Evidence traffic_evidence = Evidence::Measured;
  // What kernels of their own move, for a parameter, to add its gradient to the accumulated one. Zero: the
  // product adds while it computes.
  Bytes gradient_sum = {};
  Evidence gradient_sum_evidence = Evidence::Measured;

  Flops weights_per_token() const;  // products with weights
  // Products between activations as model FLOPs: causal attention counts half the square.
  Flops mixing_per_pair() const;

  friend bool operator==(const Operator&, const Operator&) = default;
};

bool is_product(const Operator& op);  // with weights

struct Layer {
  std::vector<Operator> operators;
  // Collectives of the forward, tensor parallelism with sequence parallelism: each moves tokens x width
  // elements. Without sequence parallelism each pair of them is one all-reduce.
  std::uint32_t all_gathers = 0;
  std::uint32_t reduce_scatters = 0;
  // Of those, around operators at an end.
  std::uint32_t end_all_gathers = 0;
  std::uint32_t end_reduce_scatters = 0;
  // Expert parallelism: a mixture-of-experts layer dispatches each token to its experts and combines what
  // they return.
  std::uint32_t all_to_alls = 0;
  ExpertRouting routing = {};  // the same in all layers of a model that have experts

  Layer& operator+=(const Layer& other);
  friend Layer operator+(Layer a, const Layer& b) { return a += b; }
  friend bool operator==(const Layer&, const Layer&) = default;
};

// The operations layers are made of. What each keeps follows Korthikanti et al. 2022 (arXiv 2205.05198,
// section 4.1): products with weights their input, norms theirs, non-linear functions theirs, sums nothing;
// what is smaller than a number per element (statistics of norms, dropout masks) is left out.
Layer linear(std::string_view name, std::uint64_t in, std::uint64_t out, Share share);
Layer linear_with_bias(std::string_view name, std::uint64_t in, std::uint64_t out, Share share);
Layer rms_norm(std::uint64_t width, Share share = Share::Tokens);
Layer layer_norm(std::uint64_t width);  // with bias
Layer norm_of(NormKind kind, std::uint64_t width);
Layer residual(std::uint64_t width);                           // x + y
Layer position_rows(std::uint64_t rows, std::uint64_t width);  // learned positions, added at an end
// Reads `in` and writes `out` elements per token without a matrix product and keeps nothing: sums, copies,
// rotary embedding.
Layer elementwise(std::string_view name, std::uint64_t in, std::uint64_t out, Share share);
// An elementwise operation whose gradient depends on its input: activations, gates.
Layer nonlinear(std::string_view name, std::uint64_t in, std::uint64_t out, Share share);
// The last operator of `operation` reads an input of `width` elements that an operation beside it keeps
// already. Contract: one operator, a product.
Layer on_shared_input(Layer operation, std::uint64_t width);
// Its operators are a part of the module.
Layer inside(Module module, Layer operation);
// Its first operator reads what the module puts out.
Layer behind(Module module, Layer operation);
// A module that is recomputed from its input, which its first operator keeps.
Layer from_its_input(Module module, Layer operation);
// Its operators are at an end of the model.
Layer at_end(Layer operation);
// Parameters that no product counts.
Layer parameters(std::uint64_t count, Share share);
Layer swiglu(std::uint64_t width, std::uint64_t inner);  // gate and up as one product, then down
// Beside an operation that keeps the same input: a shared expert beside routed ones.
Layer shared_swiglu(std::uint64_t width, std::uint64_t inner);
Layer mlp(std::uint64_t width, std::uint64_t inner);        // two products with bias, an activation between
Layer gated_mlp(std::uint64_t width, std::uint64_t inner);  // swiglu with biases
// Routed experts: a router over all of them, `chosen` SwiGLU experts per token, tokens sent and combined. The
// router's weights join before the second product, as in Megatron-LM (weighted SwiGLU), so that the experts'
// outputs are not kept; each expert keeps its own copy of the token. What arrives is sorted by expert, and
// back before it leaves (Megatron-LM, megatron/core/transformer/moe/token_dispatcher.py).
inline constexpr std::string_view kExpertDown = "expert down", kSortByExpert = "sort by expert";
Layer routed_experts(std::uint64_t width, std::uint64_t inner, std::uint32_t experts, std::uint32_t chosen);
// Reads q, k, v and writes o once. Keeps them and an FP32 statistic per query head, never the scores (Dao et
// al. 2022, arXiv 2205.14135); what reads o keeps it, or attention itself where that is frozen.
inline constexpr std::string_view kAttention = "attention";
Layer attention(const AttentionHeads& heads, bool causal);
// With the scores in memory, as before fused kernels: two batched products over the full square, and between
// them softmax and dropout, which read and write every score (BF16, and a mask of a byte); both outputs and
// the mask are kept.
Layer unfused_attention(const AttentionHeads& heads);
// A table of which each token reads one row, at an end; rows are split over the tensor-parallel group.
Layer embedding(std::uint64_t rows, std::uint64_t width);
// Final norm, logits, softmax and loss over `rows` classes, at an end. With `tied`, the table is the
// embedding's. The loss is one kernel that keeps the logits and writes their gradient in their place
// (Transformer Engine's and Megatron-LM's fused cross-entropy).
Layer head(std::uint64_t width, std::uint64_t rows, Layer norm, bool tied = false);
inline constexpr std::string_view kLossName = "loss";
// A loss of several kernels, which keep the softmax in FP32 (arXiv 2205.05198, section 4.3). Contract: `loss`
// is head's.
void keep_softmax(Operator& loss);
// The collectives around one tensor-parallel sublayer: gather the sequence, scatter the partial sums.
Layer tensor_parallel_sublayer();
// Those around the embedding (one reduce-scatter) and the head (one all-gather).
void add_end_collectives(Layer& layer, std::uint32_t all_gathers, std::uint32_t reduce_scatters);
// The ends of a language model: the embedding with the first layer, the head with the last.
// Contract: at least one layer.
void add_vocabulary(std::vector<Layer>& layers, std::uint64_t width, std::uint64_t rows, const Layer& norm,
                    bool tied = false);

}  // namespace spillway
