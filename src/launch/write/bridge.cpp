// Every setting of the layout is written, whatever the recipe has. Settings as NVIDIA-NeMo/Megatron-Bridge
// @067f987df0: scripts/training/run_recipe.py, src/megatron/bridge/training/config.py and mixed_precision.py,
// and the configurations of Megatron-Core. Test: tests/launch/write_property_test.cpp.
#include "launch/write/bridge.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.h"
#include "input/architecture/architecture_reader.h"
#include "json/shipped_files.h"
#include "json/word_of.h"
#include "launch/bridge/recipes.h"
#include "launch/write/megatron.h"
#include "launch/write/script.h"
#include "schedule/skeleton.h"

namespace spillway {
namespace {

Architecture part_of(const BridgeRecipe& recipe, Role role) {
  return read_architecture(shipped_or(std::string(recipe.model), "architecture"), role, {});
}

bool has_network(const BridgeRecipe& recipe, const LaunchJob& job) {
  const bool images = recipe.kind == BridgeRecipeKind::Images;
  if (images != job.tower.has_value() ||
      part_of(recipe, Role::Backbone) != Architecture(published_network(job)))
    return false;
  return !images || part_of(recipe, Role::Encoder) == Architecture(job.tower->tower);
}

// A launch begins with a pretraining of texts, or with a tuning of all weights with images.
bool begins_launches(BridgeRecipeKind kind, bool by_fields) {
  if (by_fields) return kind == BridgeRecipeKind::Benchmark;
  return kind == BridgeRecipeKind::Library || kind == BridgeRecipeKind::Images;
}

// A recipe of the same network; of several, the one whose number of devices is nearest. Only a benchmark's
// precision can be set field by field.
std::optional<BridgeRecipe> recipe_of(const LaunchJob& job, bool by_fields) {
  std::optional<BridgeRecipe> best;
  const auto apart = [&](const BridgeRecipe& recipe) {
    return std::llabs(std::int64_t{recipe.devices} - std::int64_t{job.devices()});
  };
  for (const BridgeRecipe& recipe : bridge_recipes()) {
    if (!begins_launches(recipe.kind, by_fields) || !has_network(recipe, job)) continue;
    if (!best || apart(recipe) < apart(*best)) best = recipe;
  }
  return best;
}

struct NamedPrecision {
  std::string_view name;
  Precision precision;
};

std::array<NamedPrecision, 6> precisions() {
  std::array<NamedPrecision, 6> all{{{"bf16_mixed", {}},
                                     {"bf16_with_fp8_delayed_scaling_mixed", {}},
                                     {"bf16_with_fp8_current_scaling_mixed", {}},
                                     {"bf16_with_fp8_subchannel_scaling_mixed", {}},
                                     {"bf16_with_mxfp8_mixed", {}},
                                     {"bf16_with_nvfp4_mixed", {}}}};
  all[1].precision = {.fp8 = Fp8Scaling::Delayed, .primary_weights = true};
  all[2].precision = {
      .fp8 = Fp8Scaling::Tensorwise, .primary_weights = true, .start_in_bf16 = 1, .end_in_bf16 = 1};
  all[3].precision = {.fp8 = Fp8Scaling::Blockwise};
  all[4].precision = {.fp8 = Fp8Scaling::Mxfp8, .primary_weights = true};
  all[5].precision = {.fp4 = Fp4Scaling::Nvfp4, .primary_weights = true};
  return all;
}

class BridgeWriter {
 public:
  BridgeWriter(const LaunchJob& job, std::string_view software)
      : job_(job), software_(software), options_(job, lacks_) {}

  LaunchAnswer run() {
    const auto all = precisions();
    const auto named = std::ranges::find(all, job_.backbone.precision, &NamedPrecision::precision);
    const bool by_fields =
        named == all.end() || (reduces_in_bf16() && job_.backbone.precision.narrow_products());
    const std::optional<BridgeRecipe> recipe = recipe_of(job_, by_fields);
    if (!recipe) return LaunchReasons{reason_without_recipe(named != all.end())};
    options_.check();
    options_.check_core();
    if (job_.backbone.adapters.rank > 0) cannot("import knows none of its recipes with low-rank adapters");
    // Megatron-Bridge refuses what Megatron-LM refuses. The options are not written: settings have other
    // names.
    options_.add_sizes();
    options_.add_stages();
    options_.add_recomputation();
    options_.add_optimizer();
    add_sizes();
    add_stages();
    add_recomputation();
    add_sharding();
    if (job_.tower) add_tower(*job_.tower);
    if (by_fields)
      add_precision_fields();
    else if (reduces_in_bf16())
      add_bf16();
    else
      set("mixed_precision", std::string(named->name));
    add_kernels();
    if (!lacks_.empty()) return lacks_;
    std::vector<std::string> remarks;
    if (job_.tower)
      remarks.emplace_back("the bounds of images are the model's, since an experiment keeps the sizes alone");
    return WrittenLaunch{{{"train.sh", script(*recipe)}},
                         "--recipe " + std::string(recipe->name) + "_config" + overrides_on_a_line(),
                         std::move(remarks)};
  }

 private:
  void cannot(std::string reason) { lacks_.push_back(std::move(reason)); }
  void set(std::string_view name, const std::string& value) {
    overrides_ += "  " + shell_word(std::string(name) + '=' + value) + '\n';
  }
  void set(std::string_view name, std::uint32_t value) { set(name, std::to_string(value)); }
  void set(std::string_view name, bool value) { set(name, std::string(value ? "true" : "false")); }
  void set(std::string_view name, const char* value) { set(name, std::string(value)); }

  void add_sizes() {
    const Parallelism& sizes = job_.parallel;
    set("model.tensor_model_parallel_size", sizes.tensor);
    set("model.pipeline_model_parallel_size", job_.ranks());
    set("model.context_parallel_size", sizes.context);
    if (sizes.context > 1) set("model.cp_comm_type", sizes.context_by == ContextBy::Ring ? "p2p" : "a2a");
    set("model.sequence_parallel", sizes.tensor > 1 && sizes.sequence_parallel);
    if (!job_.tower)
      set("comm_overlap.tp_comm_overlap", sizes.tensor > 1 && sizes.tensor_overlap == TensorOverlap::All);
    set("dataset.seq_length", job_.tower ? 32768 : job_.sequence_tokens);
    set("train.global_batch_size", job_.batch());
    set("train.micro_batch_size", job_.microbatch_size);
    if (!job_.has_experts()) return;
    set("model.expert_model_parallel_size", sizes.expert);
    set("model.expert_tensor_parallel_size", sizes.expert_tensor);
    set("model.moe_token_dispatcher_type", std::string(token_dispatcher(sizes.dispatch)));
    set("model.overlap_moe_expert_parallel_comm", needs_experts(job_.kind));
    set("model.moe_shared_expert_overlap", false);
  }

  void add_stages() {
    const bool even = is_even(job_.stages);
    set("model.account_for_embedding_in_pipeline_split", false);
    set("model.account_for_loss_in_pipeline_split", false);
    set("model.pipeline_model_parallel_layout",
        even ? std::string("null") : '"' + pipeline_layout_text(job_.stages) + '"');
    set("model.virtual_pipeline_model_parallel_size",
        even && job_.chunks > 1 ? std::to_string(job_.chunks) : std::string("null"));
    if (job_.chunks > 1 && job_.experiment->point_to_point != PointToPoint::Overlapped)
      cannot("import reads no setting of it for transfers that block");
    if (job_.chunks > 1) set("model.microbatch_group_size_per_vp_stage", job_.microbatch_group);
    const std::uint32_t predictions = job_.model.num_nextn_predict_layers;
    set("model.mtp_num_layers", predictions > 0 ? std::to_string(predictions) : std::string("null"));
  }

  void add_recomputation() {
    const Recomputation& recompute = job_.backbone.recompute;
    const bool full = recompute.what == Recompute::Full;
    set("model.recompute_granularity", !recompute.any() ? "null" : full ? "full" : "selective");
    set("model.recompute_method", !full ? "null" : recompute.first ? "block" : "uniform");
    set("model.recompute_num_layers",
        full ? std::to_string(recompute.first.value_or(recompute.together)) : std::string("null"));
    if (!recompute.any() || full) return set("model.recompute_modules", "null");
    const std::string modules = joined(module_words(recompute.modules), ",");
    set("model.recompute_modules", '[' + (modules.empty() ? "core_attn" : modules) + ']');
  }

  void add_sharding() {
    const Parallelism& sizes = job_.parallel;
    const bool shares = sizes.data != DataParallel::Plain;
    set("ddp.use_distributed_optimizer", shares);
    set("optimizer.use_distributed_optimizer", shares);
    set("ddp.overlap_grad_reduce", true);
    set("ddp.overlap_param_gather", shares);
    set("optimizer.overlap_param_gather", shares);
    set("ddp.grad_reduce_in_fp32", !reduces_in_bf16());
    if (is_sharded()) add_fsdp();
    add_states();
  }

  bool is_sharded() const {
    return job_.parallel.data == DataParallel::Zero2 || job_.parallel.data == DataParallel::Zero3;
  }

  // As the benchmarks with Megatron-FSDP set it: perf_recipes/llama/b200/llama3.py.
  void add_fsdp() {
    const Parallelism& sizes = job_.parallel;
    if (!sizes.reshard_after_forward) cannot("Megatron-FSDP frees parameters after each forward");
    if (sizes.shard_degree > 0 && sizes.shard_degree != job_.replicas() * sizes.context)
      cannot("import reads no groups of Megatron-FSDP smaller than all replicas");
    const bool all = sizes.data == DataParallel::Zero3;
    set("ddp.use_megatron_fsdp", true);
    set("ddp.data_parallel_sharding_strategy", all ? "optim_grads_params" : "optim_grads");
    set("ddp.average_in_collective", false);
    set("model.init_model_with_meta_device", true);
    set("checkpoint.ckpt_format", "fsdp_dtensor");
  }

  // Qwen2.5-VL's forward splits no sequence (models/qwen_vl/modeling_qwen25_vl.py); the tower is Hugging
  // Face's, on the first stage.
  void add_tower(const LaunchTower& tower) {
    if (!is_on_first_stage(tower) || job_.stages.front().embedding == 0)
      cannot("the first stage has the whole tower and the embedding, and no other has a part of the tower");
    if (job_.parallel.context > 1 && job_.costs().blocks.front().family == "qwen2_5_vl")
      cannot("its Qwen2.5-VL has no context parallelism");
    if (job_.parallel.tensor > 1 && job_.parallel.tensor_overlap == TensorOverlap::All)
      cannot("its recipes with images overlap no collectives of tensor parallelism");
    if (job_.packs_images()) cannot("import reads no packing of its samples with images");
    if (tower.costs.recompute.any()) cannot("it does not recompute the tower");
    if (tower.costs.precision.narrow_products()) cannot("its tower runs in BF16");
    if (tower.costs.adapters.rank > 0) cannot("import knows none of its recipes with low-rank adapters");
    set("model.freeze_language_model", false);
    set("model.freeze_vision_model", !tower.trainable);
    set("model.freeze_vision_projection", !tower.trainable);
  }

  void add_states() {
    const OptimizerStates& states = job_.parallel.states;
    const bool narrow = !(states == OptimizerStates{}) || job_.parallel.main_remainders;
    set("optimizer.use_precision_aware_optimizer", narrow);
    if (!narrow) return;
    const auto type = [](Bytes each) {
      return each == Bytes(4) ? "torch.float32" : each == Bytes(2) ? "torch.bfloat16" : "torch.uint8";
    };
    if (states.exp_avg == Bytes(1) || states.exp_avg_sq == Bytes(1))
      cannot("import reads no optimizer states of it in FP8");
    set("optimizer.main_params_dtype", "torch.float32");
    set("optimizer.exp_avg_dtype", type(states.exp_avg));
    set("optimizer.exp_avg_sq_dtype", type(states.exp_avg_sq));
    if (states.offloaded == 0) return;
    set("optimizer.optimizer_cpu_offload", true);
    set("optimizer.optimizer_offload_fraction", option_number(states.offloaded));
  }

  bool reduces_in_bf16() const { return job_.framework().gradient_buffer.value == Bytes(2); }

  std::string reason_without_recipe(bool named) const {
    if (!recipe_of(job_, false)) return "import knows no recipe of this model";
    return named ? "its precisions by name reduce gradients in FP32, and import knows no benchmark of this "
                   "model"
                 : "no precision that it has a name for is this one";
  }

  // A precision by name overwrites ddp.grad_reduce_in_fp32, and a name has no fields to override. So it is
  // left out, and what it would set is set here (mixed_precision.py, bf16_mixed and setup).
  void add_bf16() {
    set("mixed_precision", "null");
    set("model.bf16", true);
    set("model.params_dtype", "torch.bfloat16");
    set("optimizer.bf16", true);
    set("optimizer.params_dtype", "torch.bfloat16");
  }

  // Fields of a benchmark's MixedPrecisionConfig.
  void add_precision_fields() {
    const Precision& precision = job_.backbone.precision;
    if (!precision.fp8 || precision.fp4 || precision.output_projection || precision.fp8_attention ||
        precision.fp8_activation_input)
      return cannot("no precision that it has a name for is this one, and its fields are set for FP8 alone");
    set("mixed_precision.fp8", *precision.fp8 == Fp8Scaling::Mxfp8 ? "e4m3" : "hybrid");
    set("mixed_precision.fp8_recipe", std::string(word_of(kFp8Scalings, *precision.fp8)));
    set("mixed_precision.fp8_param_gather", precision.primary_weights);
    set("mixed_precision.grad_reduce_in_fp32", !reduces_in_bf16());
    if (precision.fp8 == Fp8Scaling::Mxfp8)
      set("mixed_precision.reuse_grad_buf_for_mxfp8_param_ag", precision.primary_weights);
    const std::uint32_t start = precision.start_in_bf16, end = precision.end_in_bf16;
    set("mixed_precision.first_last_layers_bf16", start + end > 0);
    if (start + end == 0) return;
    set("mixed_precision.num_layers_at_start_in_bf16", start);
    set("mixed_precision.num_layers_at_end_in_bf16", end);
  }

  void add_kernels() {
    if (!job_.model.fused_attention) set("model.attention_backend", "unfused");
    const bool graphs =
        job_.framework().name.starts_with("Megatron-Bridge") && job_.framework().name.ends_with("graphs");
    set("model.cuda_graph_impl", graphs ? "transformer_engine" : "none");
  }

  std::string overrides_on_a_line() const {
    std::string text = overrides_;
    for (std::size_t at = 0; (at = text.find("\n  ", at)) != std::string::npos;) text.replace(at, 3, " ");
    return text.substr(1, text.size() - 2);
  }

  std::string script(const BridgeRecipe& recipe) const {
    constexpr std::array<std::string_view, 3> kModes{"pretrain --dataset mock", "pretrain", "sft"};
    // Megatron-FSDP refuses one connection.
    const std::string environment = is_sharded() ? "\nexport CUDA_DEVICE_MAX_CONNECTIONS=32\n" : "";
    return script_head(job_, software_) + environment + "\nOVERRIDES=(\n" + overrides_ +
           ")\n\ntorchrun \"${LAUNCH_ARGS[@]}\" scripts/training/run_recipe.py \\\n  --recipe " +
           std::string(recipe.name) + "_config \\\n  --mode " +
           std::string(kModes[static_cast<std::size_t>(recipe.kind)]) + " \\\n  \"${OVERRIDES[@]}\"\n";
  }

  const LaunchJob& job_;
  std::string_view software_;
  LaunchReasons lacks_ = {};
  MegatronOptions options_;
  std::string overrides_ = {};
};

}  // namespace

LaunchAnswer write_bridge(const LaunchJob& job, std::string_view software) {
  return BridgeWriter(job, software).run();
}

}  // namespace spillway
