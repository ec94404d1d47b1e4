// Sources of what is asserted: NVIDIA/Megatron-LM @d98e8a64dd, megatron/training/arguments.py and
// megatron/core/transformer (transformer_config.py, pipeline_parallel_layer_layout.py). Test:
// tests/launch/write_property_test.cpp.
#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "cost/layers/layer.h"
#include "json/word_of.h"
#include "launch/write/megatron.h"
#include "schedule/skeleton.h"

namespace spillway {
namespace {

bool are_default(const Parallelism& parallel) {
  return parallel.states == OptimizerStates{} && !parallel.main_remainders;
}

std::string dtype_of(Bytes each) {
  if (each == Bytes(4)) return "fp32";
  return each == Bytes(2) ? "bf16" : "fp8";
}

// A framework that says nothing of its loss leaves open which kernels run.
bool states_one_kernel_loss(const Framework& framework) {
  const auto loss = framework.operators.find(kLossName);
  return framework.fused_loss && loss != framework.operators.end() && loss->second.forward_kernels &&
         loss->second.forward_kernels->value == 1;
}

}  // namespace

std::string_view token_dispatcher(ExpertDispatch dispatch) {
  if (dispatch == ExpertDispatch::PerExpert) return "alltoall";
  return dispatch == ExpertDispatch::PerNode ? "flex" : "allgather";
}

void MegatronOptions::check_sequence() {
  const Parallelism& parallel = job_.parallel;
  const std::uint32_t tokens = job_.sequence_tokens;
  const bool splits = parallel.tensor > 1 && parallel.sequence_parallel;
  const std::uint64_t parts =
      std::uint64_t{parallel.context} * (parallel.context > 1 ? 2 : 1) * (splits ? parallel.tensor : 1);
  if (!job_.tower && tokens % parts != 0)
    cannot("sequences of " + std::to_string(tokens) + " tokens are no multiple of " + std::to_string(parts) +
           ", twice the context parallel size by what sequence parallelism splits");
  if (job_.has_experts() && parallel.tensor > 1 && !parallel.sequence_parallel)
    cannot("experts beside tensor parallelism need sequence parallelism");
}

// Gradients are summed and reduced in one type. In FP16 they are summed in FP32 (megatron-fp16).
void MegatronOptions::check_gradients() {
  const Framework& framework = job_.framework();
  const Bytes sent = framework.gradient.value, kept = framework.gradient_buffer.value;
  if (sent == kept || is_fp16()) return;
  cannot("no argument keeps gradients in " + dtype_of(kept) + " and reduces them in " + dtype_of(sent));
}

void MegatronOptions::check() {
  if (!job_.trainable && job_.backbone.adapters.rank == 0) cannot("no argument freezes the language model");
  if (job_.backbone.offload.any()) cannot("the offloading of activations has no argument that import reads");
  if (job_.parallel.fp8_dispatch) cannot("no argument sends tokens to experts in FP8");
  check_gradients();
  check_sequence();
}

void MegatronOptions::check_core() {
  const bool overlaps = needs_experts(job_.kind);
  if (job_.kind != SkeletonKind::OneFOneB && !overlaps) cannot("it has no schedule " + job_.schedule);
  if (overlaps && job_.ranks() > 1 && job_.chunks == 1)
    cannot("the schedule " + job_.schedule + " needs virtual stages on " + std::to_string(job_.ranks()) +
           " pipeline ranks");
  if (job_.parallel.optimizer == OptimizerPlace::Swapped) cannot("it does not swap optimizer states");
}

void MegatronOptions::add_sizes() {
  const Parallelism& sizes = job_.parallel;
  layout.add("--tensor-model-parallel-size", sizes.tensor)
      .add("--pipeline-model-parallel-size", job_.ranks())
      .add("--context-parallel-size", sizes.context);
  if (sizes.tensor > 1 && sizes.sequence_parallel) layout.add("--sequence-parallel");
  if (sizes.tensor > 1 && sizes.tensor_overlap == TensorOverlap::All) {
    layout.add(overlap_all);
    if (!sizes.sequence_parallel) cannot(std::string(overlap_all) + " needs sequence parallelism");
  }
  if (job_.has_experts())
    layout.add("--expert-model-parallel-size", sizes.expert)
        .add("--expert-tensor-parallel-size", sizes.expert_tensor);
  training.add("--micro-batch-size", job_.microbatch_size).add("--global-batch-size", job_.batch());
  if (!job_.tower) training.add("--seq-length", job_.sequence_tokens);
}

void MegatronOptions::check_layout() {
  const std::vector<StageParts>& stages = job_.stages;
  const auto predicting = std::ranges::find_if(stages, &StageParts::prediction);
  if (predicting == stages.end()) return;
  const auto stage = static_cast<std::uint32_t>(predicting - stages.begin());
  if (job_.ranks() > 1 && (stage % job_.ranks() == 0 || stage < (job_.chunks - 1) * job_.ranks()))
    cannot("predictions must be in the last stage of a pipeline rank, and not of the first one");
}

void MegatronOptions::add_stages() {
  if (job_.ranks() == 1) return;
  check_layout();
  if (!is_even(job_.stages))
    layout.add("--pipeline-model-parallel-layout", pipeline_layout_text(job_.stages));
  else if (job_.chunks > 1)
    layout.add("--num-virtual-stages-per-pipeline-rank", job_.chunks);
  if (job_.chunks == 1) return;
  if (job_.microbatch_group != job_.ranks())
    layout.add("--microbatch-group-size-per-virtual-pipeline-stage", job_.microbatch_group);
  if (job_.experiment->point_to_point == PointToPoint::Overlapped) return;
  layout.add("--no-overlap-p2p-communication");
  if (job_.ranks() == 2) cannot("interleaving over 2 ranks needs transfers that overlap");
}

void MegatronOptions::add_recomputation() {
  const Recomputation& recompute = job_.backbone.recompute;
  if (!recompute.any()) return;
  const bool full = recompute.what == Recompute::Full;
  if (recompute.what == Recompute::Alternate)
    return cannot("no argument recomputes every second matrix product");
  if (recompute.every > 1 || (!full && (recompute.first || recompute.together > 1)) ||
      (recompute.what != Recompute::None && recompute.modules.any()))
    return cannot("no argument recomputes " + recompute_words(recompute));
  training.add("--recompute-granularity", full ? "full" : "selective");
  if (full && recompute.first)
    training.add("--recompute-method", "block").add("--recompute-num-layers", *recompute.first);
  else if (full)
    training.add("--recompute-method", "uniform").add("--recompute-num-layers", recompute.together);
  else if (recompute.modules.any())
    training.add("--recompute-modules", module_words(recompute.modules));
}

void MegatronOptions::add_precision() {
  const Precision& precision = job_.backbone.precision;
  training.add(is_fp16() ? "--fp16" : "--bf16");
  if (precision.output_projection) cannot("the head in FP8 has no argument that import reads");
  if (!precision.narrow_products()) return;
  if (precision.fp8)
    training.add("--fp8-format", *precision.fp8 == Fp8Scaling::Blockwise ? "e4m3" : "hybrid")
        .add("--fp8-recipe", word_of(kFp8Scalings, *precision.fp8));
  if (precision.fp4) training.add("--fp4-format", "e2m1");
  if (precision.primary_weights) training.add(precision.fp8 ? "--fp8-param-gather" : "--fp4-param-gather");
  const std::uint32_t start = precision.start_in_bf16, end = precision.end_in_bf16;
  if (start + end == 0) return;
  training.add("--first-last-layers-bf16")
      .add("--num-layers-at-start-in-bf16", start)
      .add("--num-layers-at-end-in-bf16", end);
}

void MegatronOptions::add_optimizer() {
  const Parallelism& sizes = job_.parallel;
  if (are_default(sizes)) return;
  const OptimizerStates& states = sizes.states;
  const bool fp8 = job_.backbone.precision.fp8 && job_.backbone.precision.primary_weights;
  const bool main = fp8 ? states.main_params == Bytes(4) : sizes.main_remainders;
  if (sizes.data == DataParallel::Plain || !main || states.exp_avg.value() < 1)
    return cannot("no arguments state these optimizer states");
  training.add("--use-precision-aware-optimizer")
      .add("--main-params-dtype", "fp32")
      .add("--exp-avg-dtype", dtype_of(states.exp_avg))
      .add("--exp-avg-sq-dtype", dtype_of(states.exp_avg_sq));
  if (states.offloaded > 0)
    training.add("--optimizer-cpu-offload").add("--optimizer-offload-fraction", states.offloaded);
}

void MegatronOptions::add_overlap() {
  const Framework& framework = job_.framework();
  const bool plain = job_.parallel.data == DataParallel::Plain;
  // Without software of its own the job runs as its users usually do.
  const bool stated = framework.name.starts_with("Megatron-LM") || framework.name == "NeMo" ||
                      framework.name.starts_with("Megatron-SWIFT");
  if (!stated || framework.hidden_gradients.value > 0) layout.add("--overlap-grad-reduce");
  if (!plain && (!stated || framework.hidden_parameters.value > 0)) layout.add("--overlap-param-gather");
  if (framework.gradient_buffer.value == Bytes(2)) training.add("--grad-reduce-in-bf16");
  if (states_one_kernel_loss(framework))
    training.add("--cross-entropy-loss-fusion").add("--cross-entropy-fusion-impl", "te");
}

void MegatronOptions::add_dispatch() {
  if (!job_.has_experts() || job_.parallel.expert_devices() == 1) return;
  layout.add("--moe-token-dispatcher-type", token_dispatcher(job_.parallel.dispatch));
}

}  // namespace spillway
