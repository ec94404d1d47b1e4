// The parts of a layer: operators, each with the shape that its time is looked up by, and the collectives
// around them. All figures are per token, for one whole copy of the model. A token is a backbone token or, in
// an encoder, a patch. A pair is two tokens of the same sequence: a sequence (or an image) of n tokens has
// n^2 pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "cost/layers/modules.h"
#include "cost/layers/scan.h"
#include "cost/layers/wanted_gradients.h"
#include "cost/network/expert_routing.h"
#include "platform/evidence.h"

namespace spillway {

// Gemm         [tokens x k] times [k x n], weights k x n
// GroupedGemm  the same for each of `groups` experts, on the tokens routed to it
// Attention    softmax attention of tokens within their own sequence
// Scan         linear attention: products between activations, linear in tokens
// Memory       bound by memory traffic: norms, activations, sums, embeddings
enum class OperatorKind : std::uint8_t { Gemm, GroupedGemm, Attention, Scan, Memory };

// The part of an operator that a member of a tensor-parallel group of T has (Megatron-LM, arXiv 1909.08053,
// and sequence parallelism, arXiv 2205.05198):
//   Columns  all tokens, n/T outputs; its input lies outside the sublayer
//   Rows     all tokens, k/T inputs; its output is a partial sum that leaves the sublayer
//   Inner    between those two: all tokens, 1/T of the elements or heads
//   Tokens   outside: tokens/T with sequence parallelism, all of them without; parameters on every member
//   Experts  tokens/T, as routed; experts lie on an expert-parallel group
enum class Share : std::uint8_t { Columns, Rows, Inner, Tokens, Experts };

// The memory that a forward keeps per token. A tensor that several operations read counts for one of them.
struct KeptPerToken {
  Bytes for_backward = {};        // until both gradients are computed
  Bytes for_input_gradient = {};  // until the input gradient is computed, if the operator is frozen
  // From the input gradient until the weight gradient, if they are separate: the inputs of the products with
  // weights, and the gradients of their outputs.
  Bytes between_gradients = {};

  KeptPerToken& operator+=(const KeptPerToken& other);
  friend KeptPerToken operator*(KeptPerToken kept, double times) {
    return {kept.for_backward * times, kept.for_input_gradient * times, kept.between_gradients * times};
  }
  friend bool operator==(const KeptPerToken&, const KeptPerToken&) = default;
};

// The format of a product's or an attention's operands; results are BF16. Blocks: FP8 with a scale for each
// 128 elements, which Hopper multiplies by other kernels.
enum class Operands : std::uint8_t { Bf16, Fp8, Fp8Blocks, Fp4 };

// Layer norms have a bias.
inline constexpr std::string_view kNormName = "norm";
enum class NormKind : std::uint8_t { Rms, Layer };

struct AttentionHeads {
  std::uint64_t query = 0;      // heads
  std::uint64_t key_value = 0;  // heads
  std::uint64_t key_width = 0;
  std::uint64_t value_width = 0;

  friend bool operator==(const AttentionHeads&, const AttentionHeads&) = default;
};

// The number of kernels that the host launches for one operator.
struct Kernels {
  double forward = 1;
  double input_gradient = 1;
  double weight_gradient = 1;
  bool per_expert = false;  // for each expert of the device
  std::uint32_t waits = 0;  // how often the host waits for the device, during a forward
  // The host's time beyond the launches: of a forward, and of both gradients together.
  Seconds forward_host = {};
  Seconds gradient_host = {};

  friend bool operator==(const Kernels&, const Kernels&) = default;
};

// An operator that runs its tokens in chunks, one after the other, with their gradients in one pass
// (chunked_loss.h).
struct InChunks {
  enum class Where : std::uint8_t { Apart, Forward, Backward };

  double count = 1;
  Where where = Where::Apart;  // Apart: each gradient in its own pass
  Gradients gradients = {};    // those of the one pass

  friend bool operator==(const InChunks&, const InChunks&) = default;
};

struct Operator {
  OperatorKind kind = OperatorKind::Memory;
  Share share = Share::Tokens;
  std::string_view name = "";
  double rows_per_token = 1;     // Gemm, GroupedGemm: top-k for experts, 1/4 after a merger of four patches
  std::uint64_t k = 0;           // Gemm, GroupedGemm
  std::uint64_t n = 0;           // Gemm, GroupedGemm
  std::uint32_t groups = 1;      // GroupedGemm: experts
  AttentionHeads heads = {};     // Attention; Scan: of values, and of keys before they are repeated
  bool causal = false;           // Attention
  bool fused = true;             // Attention: scores are never in memory
  bool pads_values = false;      // Attention: its kernel has heads of one width, that of the keys
  std::uint32_t window = 0;      // Attention: the last `window` tokens, itself included; 0: all before it
  bool blocks = false;           // Attention: its window is the block of `window` tokens that it lies in
  Flops scan_per_token = {};     // Scan
  ScanForm scan = {};            // Scan
  Bytes traffic_per_token = {};  // activations read and written by the forward
  Bytes more_in_gradient = {};   // Memory: further bytes of the gradient, beyond that and what is kept
  Bytes traffic_per_pair = {};   // Memory, of the full square: traffic of unfused attention on the scores
  std::uint64_t parameters = 0;
  KeptPerToken kept = {};
  KeptPerToken kept_outside = {};  // the part of `kept` outside the tensor-parallel sublayer
  Bytes kept_per_pair = {};        // Memory, of the full square: scores that unfused attention keeps
  // Buffers of an exchange: live while it runs, in addition to its inputs, its outputs and their gradients.
  Bytes buffers_per_token = {};
  Bytes kept_of_weights = {};  // a gradient of its weights that a forward keeps, however many tokens it has
  InChunks chunks = {};
  bool in_place = false;   // its gradient overwrites what it keeps
  bool frozen = false;     // its weights do not change: no gradient, no optimizer
  bool at_end = false;     // at an end of the model, outside of recomputed layers: an embedding, a head
  bool past_stop = false;  // not repeated: a recomputation that stops early needs nothing from it
  Modules inside = {};     // the modules that it is part of
  Modules made_by = {};    // the modules that make again what it reads and keeps
  // Set for narrow formats (precision.h).
  Operands operands = Operands::Bf16;
  Bytes cast = {};  // of a product: bytes moved to cast an element of its input, or of its output's gradient
  Bytes weight_copies = {};     // bytes of its narrow copies, per parameter
  bool primary_copies = false;  // they replace the BF16 weights
  Bytes laid_out_again = {};    // bytes moved per parameter to make another layout for an input gradient
  Bytes output_kept = {};       // of attention: the part of `kept` that is its own output
  double stored_in_fp8 = 0;     // elements per token of a kept input that is cast to a byte, and back
  // The framework sets the fields from here on (execution.h).
  Kernels kernels = {};
  bool captured = false;       // part of a CUDA graph
  double forward_traffic = 1;  // factor on the bytes above, if memory bounds it
  double gradient_traffic = 1;
  double forward_live = 1;  // factor on its inputs and outputs, as far as they exist at once
  double gradient_live = 1;
  Evidence traffic_evidence = Evidence::Measured;
  // A Scan has the same if its kernels are the framework's own (a backward takes at least two forwards).
  struct ScanTraffic {
    std::optional<double> forward = {}, gradient = {};
    friend bool operator==(const ScanTraffic&, const ScanTraffic&) = default;
  } scan_traffic = {};
  // Bytes that separate kernels move per parameter to add its gradient to the accumulated one. Zero: the
  // product adds while it computes.
  Bytes gradient_sum = {};
  Bytes gradient_buffer = Bytes(4);  // of an accumulated gradient
  Evidence gradient_sum_evidence = Evidence::Measured;

  Flops weights_per_token() const;  // products with weights
  // Products between activations, as model FLOPs: causal attention counts half of the square.
  Flops mixing_per_pair() const;

  friend bool operator==(const Operator&, const Operator&) = default;
};

bool is_product(const Operator& op);  // with weights

struct Layer {
  std::vector<Operator> operators;
  // Collectives of the forward, for tensor parallelism with sequence parallelism. Each moves tokens x width
  // elements. Without sequence parallelism each pair of them is one all-reduce.
  std::uint32_t all_gathers = 0;
  std::uint32_t reduce_scatters = 0;
  // The bytes of a gathered element over BF16's: operands in FP8 or FP4 are cast before they are gathered.
  double gathered_size = 1;
  // The part of those around operators at an end.
  std::uint32_t end_all_gathers = 0;
  std::uint32_t end_reduce_scatters = 0;
  // Expert parallelism: a mixture-of-experts layer dispatches each token to its experts and combines their
  // results.
  std::uint32_t all_to_alls = 0;
  double exchanged_size = 1;   // what is sent of a token, over its width: the latent of experts on one
  ExpertRouting routing = {};  // the same in all layers of a model with experts

  Layer& operator+=(const Layer& other);
  friend Layer operator+(Layer a, const Layer& b) { return a += b; }
  friend bool operator==(const Layer&, const Layer&) = default;
};

// The operations that layers consist of. The memory that each keeps follows Korthikanti et al. 2022 (arXiv
// 2205.05198, section 4.1). Products with weights, norms and non-linear functions keep their input; sums keep
// nothing. Tensors of less than a number per element (statistics of norms, dropout masks) are left out.
Layer linear(std::string_view name, std::uint64_t in, std::uint64_t out, Share share);
Layer linear_with_bias(std::string_view name, std::uint64_t in, std::uint64_t out, Share share);
Layer rms_norm(std::uint64_t width, Share share = Share::Tokens);
Layer layer_norm(std::uint64_t width);  // with bias
Layer norm_of(NormKind kind, std::uint64_t width);
Layer residual(std::uint64_t width);                           // x + y
Layer position_rows(std::uint64_t rows, std::uint64_t width);  // learned positions, added at an end
// Reads `in` and writes `out` elements per token without a matrix product, and keeps nothing: sums, copies,
// rotary embedding.
Layer elementwise(std::string_view name, std::uint64_t in, std::uint64_t out, Share share);
// An elementwise operation whose gradient depends on its input: activations, gates.
Layer nonlinear(std::string_view name, std::uint64_t in, std::uint64_t out, Share share);
// The last operator of `operation` reads an input of `width` elements that another operation keeps already.
// Contract: `operation` is one operator, a product.
Layer on_shared_input(Layer operation, std::uint64_t width);
// The same for the first operator of several.
Layer beside(Layer operation, std::uint64_t width);
// Marks the operators as part of the module.
Layer inside(Module module, Layer operation);
// The first operator reads the module's output.
Layer behind(Module module, Layer operation);
// A module that is recomputed from its input; its first operator keeps the input.
Layer from_its_input(Module module, Layer operation);
// Marks the operators as being at an end of the model.
Layer at_end(Layer operation);
// Parameters that belong to no product.
Layer parameters(std::uint64_t count, Share share);
Layer swiglu(std::uint64_t width, std::uint64_t inner);  // gate and up as one product, then down
// For use beside an operation that keeps the same input: a shared expert beside routed ones.
Layer shared_swiglu(std::uint64_t width, std::uint64_t inner);
// Two products without biases, an activation between them.
Layer plain_mlp(std::uint64_t width, std::uint64_t inner);
Layer shared_plain_mlp(std::uint64_t width, std::uint64_t inner);
Layer mlp(std::uint64_t width, std::uint64_t inner);  // two products with bias, an activation between them
Layer gated_mlp(std::uint64_t width, std::uint64_t inner);  // swiglu with biases
// Routed experts: a router over all of them, `chosen` SwiGLU experts per token, tokens sent and combined. The
// router's weights are applied before the second product, as in Megatron-LM (weighted SwiGLU), so the
// experts' outputs are not kept. Each expert keeps its own copy of the token. Arriving tokens are sorted by
// expert, and sorted back before they leave (Megatron-LM, megatron/core/transformer/moe/token_dispatcher.py).
//
// gated         SwiGLU; otherwise two products with an activation between them
// latent        width of what is sent to experts, made before and undone behind the exchange; 0: the token
// zero_experts  further rows of the router, whose experts return the token itself: nothing is sent to them
struct RoutedForm {
  bool gated = true;
  std::uint64_t latent = 0;
  std::uint32_t zero_experts = 0;
};
inline constexpr std::string_view kLatentDown = "latent down", kLatentUp = "latent up";
inline constexpr std::string_view kDispatchName = "dispatch", kCombineName = "combine",
                                  kExpertDown = "expert down", kSortByExpert = "sort by expert";
Layer routed_experts(std::uint64_t width, std::uint64_t inner, std::uint32_t experts, std::uint32_t chosen,
                     const RoutedForm& form = {});
// Reads q, k, v and writes o once. Keeps q, k, v and an FP32 statistic per query head, never the scores (Dao
// et al. 2022, arXiv 2205.14135). The reader of o keeps it, or attention itself if the reader is frozen.
inline constexpr std::string_view kAttention = "attention";
Layer attention(const AttentionHeads& heads, bool causal);
// Attention with the scores in memory, as before fused kernels: two batched products over the full square,
// with softmax and dropout between them. These read and write every score (BF16, and a mask of a byte). Both
// outputs and the mask are kept.
Layer unfused_attention(const AttentionHeads& heads);
// A table at an end of the model; each token reads one row. Rows are split over the tensor-parallel group.
Layer embedding(std::uint64_t rows, std::uint64_t width);
// Final norm, logits, softmax and loss over `rows` classes, at an end of the model. With `tied`, the table is
// the embedding's. The loss is one kernel that keeps the logits and overwrites them with their gradient
// (Transformer Engine's and Megatron-LM's fused cross-entropy).
Layer head(std::uint64_t width, std::uint64_t rows, Layer norm, bool tied = false);
inline constexpr std::string_view kLogitsName = "logits", kLossName = "loss";
// Turns the loss into several kernels, which keep the softmax in FP32 (arXiv 2205.05198, section 4.3).
// Contract: `loss` is head's.
void keep_softmax(Operator& loss);
// The collectives around one tensor-parallel sublayer: gather the sequence, scatter the partial sums.
Layer tensor_parallel_sublayer();
// The collectives around the embedding (one reduce-scatter) and the head (one all-gather).
void add_end_collectives(Layer& layer, std::uint32_t all_gathers, std::uint32_t reduce_scatters);
// Adds the ends of a language model: the embedding to the first layer, the head to the last. Contract: at
// least one layer.
void add_vocabulary(std::vector<Layer>& layers, std::uint64_t width, std::uint64_t rows, const Layer& norm,
                    bool tied = false);

}  // namespace spillway
