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
#include "launch/bridge/recipes.h"
#include "launch/write/megatron.h"
#include "launch/write/script.h"
#include "schedule/skeleton.h"

namespace spillway {
namespace {

// A recipe of the same network; of several, the one whose number of devices is nearest.
const BridgeRecipe* recipe_of(const LaunchJob& job) {
  const Architecture network = published_network(job);
  const BridgeRecipe* best = nullptr;
  const auto apart = [&](const BridgeRecipe& recipe) {
    return std::llabs(std::int64_t{recipe.devices} - std::int64_t{job.devices()});
  };
  for (const BridgeRecipe& recipe : bridge_recipes()) {
    const std::string path = shipped_or(std::string(recipe.model), "architecture");
    if (read_architecture(path, Role::Backbone, {}) != network) continue;
    if (!best || apart(recipe) < apart(*best)) best = &recipe;
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
    if (job_.tower) return LaunchReasons{"import knows none of its recipes with an encoder"};
    const BridgeRecipe* recipe = recipe_of(job_);
    if (!recipe) return LaunchReasons{"import knows no recipe of this model"};
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
    add_precision();
    if (!lacks_.empty()) return lacks_;
    return WrittenLaunch{{{"train.sh", script(*recipe)}},
                         "--recipe " + std::string(recipe->name) + "_config" + overrides_on_a_line()};
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
    set("comm_overlap.tp_comm_overlap", sizes.tensor > 1 && sizes.tensor_overlap == TensorOverlap::All);
    set("dataset.seq_length", job_.sequence_tokens);
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
    if (!recompute.any() || full) return;
    const std::string modules = joined(module_words(recompute.modules), ",");
    set("model.recompute_modules", '[' + (modules.empty() ? "core_attn" : modules) + ']');
  }

  void add_sharding() {
    const Parallelism& sizes = job_.parallel;
    if (sizes.data == DataParallel::Zero2 || sizes.data == DataParallel::Zero3)
      return cannot("import reads no recipe of it with Megatron-FSDP");
    const bool shares = sizes.data != DataParallel::Plain;
    set("ddp.use_distributed_optimizer", shares);
    set("optimizer.use_distributed_optimizer", shares);
    set("ddp.overlap_grad_reduce", true);
    set("ddp.overlap_param_gather", shares);
    set("optimizer.overlap_param_gather", shares);
    const bool narrow = job_.framework().gradient_buffer.value == Bytes(2);
    set("ddp.grad_reduce_in_fp32", !narrow);
    add_states();
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

  void add_precision() {
    const auto all = precisions();
    const auto known = std::ranges::find(all, job_.backbone.precision, &NamedPrecision::precision);
    if (known == all.end()) return cannot("no precision that it has a name for is this one");
    set("mixed_precision", std::string(known->name));
    if (!job_.model.fused_attention) set("model.attention_backend", "unfused");
    const bool graphs = job_.framework().name == "Megatron-Bridge, graphs";
    set("model.cuda_graph_impl", graphs ? "transformer_engine" : "none");
  }

  std::string overrides_on_a_line() const {
    std::string text = overrides_;
    for (std::size_t at = 0; (at = text.find("\n  ", at)) != std::string::npos;) text.replace(at, 3, " ");
    return text.substr(1, text.size() - 2);
  }

  std::string script(const BridgeRecipe& recipe) const {
    return script_head(job_, software_) + "\nOVERRIDES=(\n" + overrides_ +
           ")\n\ntorchrun \"${LAUNCH_ARGS[@]}\" scripts/training/run_recipe.py \\\n  --recipe " +
           std::string(recipe.name) +
           "_config \\\n  --mode pretrain --dataset mock \\\n  \"${OVERRIDES[@]}\"\n";
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
