// The software that a step runs on, beside the hardware (platform.h): how a training framework executes
// operators (kernels, traffic, attention), how much of its collectives it hides, and the precision of its
// reductions. A framework that states nothing equals the cost model without one: each operator is one kernel,
// attention is the one that the platform's tables measured, collectives hide inside passes as far as they
// can, and gradients are in FP32 and reduced after the last backward.
//
// As JSON (platforms/frameworks/*.json), all optional but schema and name; N as in platform.h:
//   "schema"          "spillway/framework/1"
//   "name", "note"    text
//   "launch_us"       N: the time in which the host issues one kernel. It issues kernels one by one, and runs
//                     ahead of the device within a pass (cost/slabs/host_queue.h)
//   "collective_us"   N: the host's time to issue a collective inside a pass, of tensor parallelism, context
//                     parallelism or experts (cost/slabs/issued_collectives.h)
//   "message_us"      N: the cost of a transfer between ranks to the two hosts, beyond the message itself
//   "graphs"          { "covers": "none", "layer", "step", or a list of parts of a layer (graphs.h), "kind",
//                     "source" }: what CUDA graphs cover. Only with launch_us
//   "graph_launch_us" N: the time in which the host issues one graph. Only with graphs
//   "update_us"       N: the host's time in the optimizer step for each tensor of parameters that its device
//                     updates, one after the other, while the device waits
//   "stage_kernels"   N: kernels of a forward of a block's layers on a stage outside its operators:
//                     positions, masks, data brought to the device
//   "attention"       { "kernel": name of one of the accelerator's attention_kernels, "kind", "source",
//                       "otherwise": "accelerator", optional }. otherwise: an accelerator that does not state
//                     the kernel takes its own attention (tables or efficiency), as assumed; the result says
//                     so. Without it such an accelerator is refused
//   "pads_values"     true: heads of fused attention have one width, so values that are narrower than keys
//                     (latent attention) are padded to it; false: each keeps its width
//   "kernels_per_expert"  true: a product of routed experts takes its kernels for each expert of the device
//                     (a loop over products); false: for all together
//   "fused_loss"      true: the loss is one kernel that keeps the logits and overwrites them with their
//                     gradient; false: the softmax is kept in FP32
//   "chunked_loss"    { "gradients": "forward" or "backward", "kind", "source", "chunks": N, optional }: the
//   head's
//                     product and the loss run in chunks of tokens, and one chunk of logits exists at a time.
//                     forward: a chunk's gradients follow its loss at once (Liger-Kernel); backward: the
//                     backward makes each chunk's logits again. chunks: their number; not stated: Liger's,
//                     about vocabulary / width. "fused_loss" says what a chunk holds. Not stated: all logits
//                     are kept
//   "recompute_stops_early"  true: recomputation of a layer ends with the last tensor that its backward
//   reads,
//                     so it omits the last product (PyTorch's checkpoint without reentry, from 2.1 on:
//                     https://docs.pytorch.org/docs/stable/checkpoint.html, early_stop); false: all of it
//   "scatter_gather"  true: without sequence parallelism each tensor-parallel device sends its share of the
//                     data between stages, and the receivers gather it (Narayanan et al. 2021, arXiv
//                     2104.04473, section 4.1); false: each sends all of it
//   "attends_across_documents"  { "value", "kind", "source" }: true: attention runs over a whole packed
//                     sequence, whatever its samples (Megatron-LM without reset_attention_mask); false, the
//                     default: each sample attends within itself. Of unpacked samples without padding, too
//   "pads_to"         { "value", "kind", "source" }: samples that are not packed are padded to the longest of
//                     their "microbatch", or of the step's "batch" over all replicas; "none", the default
//   "gradient_bytes"  N: bytes of a gradient in a reduction, 2 or 4
//   "gradient_buffer_bytes"  N: bytes of a gradient while microbatches add to it, 2 or 4
//   "gradient_bucket_mb"  N: the size of gradient buckets in megabytes; each is reduced when it is full, and
//                     the last one is exposed
//   "hidden"          { "tensor": N, "chunks": N, "data": N, "gradients": N, "parameters": N, "fused": N }:
//                     the hidden share of collectives that could hide. tensor: tensor parallelism. chunks:
//                     its part that hides only if it is cut into chunks (default: "tensor"). data: ZeRO-2 and
//                     -3 inside passes. gradients: their reduction beside the backward of the last
//                     microbatch. parameters: gathering them updated, beside the first forward of the next
//                     step. fused: collectives of a forward and a backward that run together, under each
//                     other
//   "step_end"        { "reductions": { "value": WORD, "kind", "source" }, "gradients": the same,
//                       "parameters": the same, "averages": N, "checks": N, "clips": N, "norms": N,
//                       "losses": N, "between_us": N }:
//                     the end of a step as an account (cost/step_end.h). Without it gradients, updates and
//                     parameters of each stage follow its own last backward.
//                     reductions: when a rank begins to reduce gradients (ReductionStart below).
//                     gradients: with ZeRO-1, "scatter" (default): each sharer of the update gets its part of
//                     the sum; "all-reduce": each gets the whole.
//                     parameters: "gather" (default) or "broadcasts": each sharer of the update sends its
//                     part to the others, one sharer after the other. averages: how often a kernel scales
//                     each gradient before it is reduced (default 1; 0: the collective averages). checks: how
//                     often each gradient is read before it is reduced, for numbers that are not finite.
//                     clips: the share of steps that scale their gradients. norms, losses: how often a step
//                     sums a number over all devices, or over the last stage's copies, and the host waits for
//                     it. between_us: the time between steps in which the device has no work
//   "sharding"        { "weights": { "value": WORD, "kind", "source" }, "reduces": the same,
//                       "synchronizes": the same, "gather_bytes": N, "reduce_bytes": N, "layer_us": N }:
//                     how sharded states are run (zero2, zero3). weights: "beside" (default): BF16 weights
//                     beside FP32 main parameters; "main": trained weights are the main parameters, which are
//                     cast when they are gathered (PyTorch FSDP2's MixedPrecisionPolicy). reduces:
//                     "microbatch" (default): each backward reduces gradients; "step": gradients are added up
//                     whole and reduced once (set_requires_gradient_sync, no_sync). synchronizes: what the
//                     host waits for before each layer's forward, recomputed or not: "none" (default); the
//                     "stream" that computes; the "device", with its collectives. gather_bytes,
//                     reduce_bytes: bytes per parameter that the device moves around each gather and each
//                     reduction. layer_us: the host's time for hooks of a layer, in a forward and in a
//                     backward
//   "operators"       { NAME: { "forward_kernels": N, "input_gradient_kernels": N,
//                               "weight_gradient_kernels": N, "traffic": N, "gradient_traffic": N,
//                               "live": N, "gradient_live": N,
//                               "waits": N, "forward_host_us": N, "gradient_host_us": N,
//                               "gradient_sum_bytes": N } }
//                     NAME is a kind of operator (gemm, grouped_gemm, attention, scan, memory) or one
//                     operator (norm, rotary, router, ...: `explain` lists them). An operator takes the
//                     values of its kind where it states none. traffic, gradient_traffic: for memory-bound
//                     operators, the bytes that a forward and its gradient move, over those of one kernel
//                     that reads its inputs and writes its outputs once. Of a scan (its gradient: over twice
//                     those bytes): its kernels are the framework's own, bound by memory; not stated: those
//                     of flash-linear-attention. live, gradient_live: of memory-bound operators, the bytes of
//                     all tensors that exist while a forward or its gradient runs, over the inputs and
//                     outputs of such a kernel; what is kept for the backward comes on top. waits: how often
//                     the host waits for the device during a forward. forward_host_us, gradient_host_us: the
//                     host's time for a forward and for its gradients beyond the launches of their kernels.
//                     gradient_sum_bytes: the bytes per parameter that separate kernels move to add its
//                     gradient to the accumulated one; not stated: the product adds while it computes
//   "encoder_operators"  as "operators": overrides for layers of an encoder
//   "models"          { "text": true or false, "images": "any" or a list of model_types, "kind", "source" }:
//                     the models that it trains (launched_models.h). Not stated: nothing is known
//   "stages"          { "layers": "any" or "ends", "encoder": "first" or "any", "kind", "source" }: the
//   splits
//                     of a model into stages that it can express. Not stated: every split
//   "dispatch"        { "value": "per-expert", "per-node" or "all-gather", "kind", "source" }: the way of
//                     tokens to experts that its users take; plans take it if their job states none
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "platform/evidence.h"
#include "platform/expert_dispatch.h"
#include "platform/graphs.h"
#include "platform/launched_models.h"

namespace spillway {

struct Accelerator;
struct AttentionKernel;

// How far samples are padded that are not packed: not at all, or to the longest of their microbatch or batch.
enum class PadsTo : std::uint8_t { None, Microbatch, Batch };
inline constexpr std::array<std::pair<std::string_view, PadsTo>, 3> kPadsTos{
    {{"none", PadsTo::None}, {"microbatch", PadsTo::Microbatch}, {"batch", PadsTo::Batch}}};
inline std::string to_string(PadsTo pads) {
  return std::string(kPadsTos[static_cast<std::size_t>(pads)].first);
}

// How the software executes one operator.
struct OperatorExecution {
  std::optional<Sourced<double>> forward_kernels = {};
  std::optional<Sourced<double>> input_gradient_kernels = {};
  std::optional<Sourced<double>> weight_gradient_kernels = {};
  std::optional<Sourced<double>> traffic = {};
  std::optional<Sourced<double>> gradient_traffic = {};
  std::optional<Sourced<double>> live = {};
  std::optional<Sourced<double>> gradient_live = {};
  std::optional<Sourced<double>> waits = {};
  std::optional<Sourced<Seconds>> forward_host = {};   // beyond launches
  std::optional<Sourced<Seconds>> gradient_host = {};  // of both gradients
  std::optional<Sourced<Bytes>> gradient_sum = {};

  friend bool operator==(const OperatorExecution&, const OperatorExecution&) = default;
};

// When a rank begins to reduce the gradients of its stages:
//   AfterBackward  all of them after its last backward
//   ByStage        each stage's after the stage's last backward
//   Aligned        by bucket on the first rank of a pipeline without virtual stages, by stage elsewhere
//   ByBucket       each bucket's when it is full, in the stage's last backward
enum class ReductionStart : std::uint8_t { AfterBackward, ByStage, Aligned, ByBucket };
inline constexpr std::array<std::pair<std::string_view, ReductionStart>, 4> kReductionStarts{
    {{"after-backward", ReductionStart::AfterBackward},
     {"by-stage", ReductionStart::ByStage},
     {"aligned", ReductionStart::Aligned},
     {"by-bucket", ReductionStart::ByBucket}}};

// What sharers of the update get of the sum of gradients: their parts, or the whole.
enum class GradientSum : std::uint8_t { Scatter, AllReduce };
inline constexpr std::array<std::pair<std::string_view, GradientSum>, 2> kGradientSums{
    {{"scatter", GradientSum::Scatter}, {"all-reduce", GradientSum::AllReduce}}};

// How sharers of the update return parameters to each other.
enum class ParameterReturn : std::uint8_t { Gather, Broadcasts };
inline constexpr std::array<std::pair<std::string_view, ParameterReturn>, 2> kParameterReturns{
    {{"gather", ParameterReturn::Gather}, {"broadcasts", ParameterReturn::Broadcasts}}};

// The weights of trained sharded parameters, when they are reduced, and what a host waits for at a layer.
enum class ShardedWeights : std::uint8_t { Beside, Main };
inline constexpr std::array<std::pair<std::string_view, ShardedWeights>, 2> kShardedWeights{
    {{"beside", ShardedWeights::Beside}, {"main", ShardedWeights::Main}}};
enum class ShardReduces : std::uint8_t { Microbatch, Step };
inline constexpr std::array<std::pair<std::string_view, ShardReduces>, 2> kShardReduces{
    {{"microbatch", ShardReduces::Microbatch}, {"step", ShardReduces::Step}}};
enum class LayerWait : std::uint8_t { None, Stream, Device };
inline constexpr std::array<std::pair<std::string_view, LayerWait>, 3> kLayerWaits{
    {{"none", LayerWait::None}, {"stream", LayerWait::Stream}, {"device", LayerWait::Device}}};

// How states run that devices share out (DataParallel::Zero2, Zero3).
struct Sharding {
  std::optional<Sourced<ShardedWeights>> weights = {};  // default: beside
  std::optional<Sourced<ShardReduces>> reduces = {};    // default: microbatch
  std::optional<Sourced<LayerWait>> waits = {};         // default: none
  Sourced<Bytes> gather = not_stated(Bytes());          // per parameter
  Sourced<Bytes> reduce = not_stated(Bytes());          // per parameter
  Sourced<Seconds> layer = not_stated(Seconds());       // of the host

  bool main_weights() const { return weights && weights->value == ShardedWeights::Main; }
  bool reduces_once() const { return reduces && reduces->value == ShardReduces::Step; }
  LayerWait wait() const { return waits ? waits->value : LayerWait::None; }
};

// How the logits run in chunks (cost/layers/chunked_loss.h).
struct ChunkedLoss {
  bool gradients_in_forward = true;
  Evidence evidence = Evidence::Assumed;
  std::string source = {};
  std::optional<Sourced<double>> chunks = {};

  friend bool operator==(const ChunkedLoss&, const ChunkedLoss&) = default;
};

struct Framework {
  std::string name;
  std::optional<Sourced<Seconds>> launch =
      {};  // of a kernel; the accelerator's host overhead where not stated
  std::optional<Sourced<GraphCover>> graphs = {};
  Sourced<Seconds> graph_launch = not_stated(Seconds());
  Sourced<Seconds> message = not_stated(Seconds());
  Sourced<Seconds> collective = not_stated(Seconds());  // of the host
  Sourced<Seconds> update = not_stated(Seconds());
  std::optional<Sourced<std::string>> attention = {};  // the kernel's name
  bool own_attention_otherwise = false;                // where the accelerator does not state that kernel
  bool pads_values = false;
  bool kernels_per_expert = false;
  bool fused_loss = true;
  std::optional<ChunkedLoss> chunked_loss = {};
  bool recompute_stops_early = false;
  bool scatter_gather = false;
  Sourced<bool> attends_across_documents = not_stated(false);
  Sourced<PadsTo> pads_to = not_stated(PadsTo::None);
  Sourced<Bytes> gradient = not_stated(Bytes(4));
  Sourced<Bytes> gradient_buffer = not_stated(Bytes(4));
  Sourced<double> hidden_tensor = not_stated(1.0);    // shares
  std::optional<Sourced<double>> hidden_chunks = {};  // default: hidden_tensor
  Sourced<double> hidden_data = not_stated(1.0);
  Sourced<double> hidden_gradients = not_stated(0.0);
  Sourced<double> hidden_parameters = not_stated(0.0);
  Sourced<double> hidden_fused = not_stated(1.0);
  Sourced<Bytes> gradient_bucket = not_stated(Bytes());  // zero: the smallest possible buckets
  Sourced<double> stage_kernels = not_stated(0.0);
  Sharding sharding = {};
  std::optional<Sourced<ReductionStart>> reductions = {};   // stated: the end of a step is an account
  std::optional<Sourced<GradientSum>> gradient_sum = {};    // default: scatter
  std::optional<Sourced<ParameterReturn>> parameters = {};  // default: gather
  std::optional<Sourced<double>> gradient_averages = {};    // default: 1
  Sourced<double> gradient_checks = not_stated(0.0);
  Sourced<double> clipped_steps = not_stated(0.0);  // a share
  Sourced<double> norm_waits = not_stated(0.0);
  Sourced<double> loss_waits = not_stated(0.0);
  Sourced<Seconds> between_steps = not_stated(Seconds());
  using Operators = std::map<std::string, OperatorExecution, std::less<>>;
  Operators operators = {};
  Operators encoder_operators = {};  // overrides `operators` in layers over patches
  std::optional<TrainedModels> models = {};
  std::optional<PlacedStages> stages = {};
  std::optional<Sourced<ExpertDispatch>> dispatch = {};
};

// Returns true for a kind of operator, or an operator of the layers in cost/layers: the names that
// `operators` may have.
bool is_operator_name(std::string_view name);
// Returns true if the operators of this name are bound by memory.
bool is_bound_by_memory(std::string_view name);
// Returns true for linear attention. Software that states the traffic of its kernels has kernels of its own.
bool is_scan(std::string_view name);
std::string operator_names();  // for people
// As the JSON form of `graphs` says it: "layer", or parts joined by commas.
std::string words(GraphCover cover);

// Returns the kernel that attention runs by: of the accelerator's, the one that the framework names. Null if
// it names none, or one that the accelerator does not state.
const AttentionKernel* attention_kernel(const Framework& framework, const Accelerator& accelerator);
// Returns true if the accelerator's own attention stands in for a kernel that the framework names.
bool takes_own_attention(const Framework& framework, const Accelerator& accelerator);

// Returns every reason why a framework cannot run on an accelerator: an attention kernel that the accelerator
// does not state, unless the framework says what is taken otherwise; a number out of its range. Pointers are
// those of the JSON form.
std::vector<Violation> check_framework(const Framework& framework, const Accelerator& accelerator);

}  // namespace spillway
