// Settings and defaults as in pytorch/torchtitan @238fa9953e4a, torchtitan/config/job_config.py. Test:
// tests/launch/titan_scripts_test.cpp.
#include "launch/titan/titan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "launch/command/json_members.h"
#include "launch/titan/layout.h"
#include "launch/titan/model.h"

namespace spillway {
namespace {

constexpr std::array kIdleTitan = std::to_array<std::string_view>({
    "job.*",
    "profiling.*",
    "metrics.*",
    "checkpoint.*",
    "validation.*",
    "comm.*",
    "memory_estimation.*",
    "lr_scheduler.*",
    "debug.seed",
    "debug.deterministic=false",
    "debug.moe_force_load_balance=false",
    "fault_tolerance.enable=false",
    "model.hf_assets_path",
    "model.tokenizer_path",
    "model.print_after_conversion",
    "optimizer.name=adamw",
    "optimizer.name=adam",
    "optimizer.lr",
    "optimizer.eps",
    "optimizer.beta1",
    "optimizer.beta2",
    "optimizer.weight_decay",
    "optimizer.implementation=fused",
    "optimizer.early_step_in_backward=false",
    "training.max_norm",
    "training.steps",
    "training.dataset",
    "training.dataset_path",
    "training.dataloader.*",
    "training.gc_freq",
    "training.gc_debug",
    "training.enable_cpu_offload=false",
    "training.mixed_precision_param=bfloat16",
    "training.mixed_precision_reduce=float32",
    "training.seed",
    "training.deterministic=false",
    "parallelism.disable_loss_parallel=false",
    "parallelism.context_parallel_load_balancer",
    "parallelism.pipeline_parallel_schedule_csv=",
    "activation_checkpoint.per_op_sac_force_recompute_mm_shapes_by_fqns",
    "activation_checkpoint.early_stop",
    "activation_checkpoint.debug",
    "activation_checkpoint.determinism_check",
    "activation_checkpoint.preserve_rng_state",
    "activation_checkpoint.visualize_memory_budget_pareto",
    "compile.backend=inductor",
    "quantize.linear.float8.precompute_float8_dynamic_scale_for_fsdp",
    "quantize.linear.float8.emulate=false",
    "quantize.linear.mx.mxfp8_dim1_cast_kernel_choice",
});

class TitanReader {
 public:
  TitanReader(Arguments& settings, const LaunchOptions& options) : settings_(settings), options_(options) {}

  LaunchReading run(std::optional<std::uint32_t> devices) {
    const TitanModel model = read_titan_model(settings_, options_);
    TitanLayout layout = read_titan_layout(settings_, devices, model.layers, model.has_experts);
    add_parallel(layout, model.has_experts);
    read_type();
    if (layout.pipeline.separate_vocabulary) add_member(block(), "separate_vocabulary", true);
    read_checkpoint();
    read_compile();
    read_converters();
    experiment_.backbone.architecture = model.architecture;
    experiment_.config = model.config;
    experiment_.microbatches = layout.microbatches;
    experiment_.replicas = layout.replicas;
    experiment_.pipeline = std::move(layout.pipeline);
    add_member(experiment_.workload, "sequence_tokens", layout.sequence_tokens);
    add_member(experiment_.workload, "sequences_per_microbatch", layout.microbatch_size);
    std::vector<std::string> assumptions = model.assumptions;
    for (std::vector<std::string>* more : {&layout.assumptions, &assumptions_})
      assumptions.insert(assumptions.end(), more->begin(), more->end());
    return {"torchtitan", std::move(experiment_), std::move(assumptions)};
  }

 private:
  Object& block() { return experiment_.backbone.keys; }

  void add_parallel(const TitanLayout& layout, bool has_experts) {
    Object& parallel = experiment_.parallel;
    add_member(parallel, "tensor", layout.tensor);
    const bool overlaps = settings_.flag("parallelism.enable_async_tensor_parallel");
    if (layout.tensor > 1) add_member(parallel, "sequence_parallel", true);
    if (layout.tensor > 1 && overlaps) add_member(parallel, "tensor_overlap", "all");
    read_context(layout);
    const auto backend = settings_.word("parallelism.expert_parallel_comm_backend").value_or("standard");
    if (backend != "standard" && backend != "deepep")
      settings_.refuse("parallelism.expert_parallel_comm_backend", "standard or deepep", '"' + backend + '"');
    if (has_experts) {
      add_member(parallel, "expert", layout.expert);
      if (layout.expert_tensor > 1) add_member(parallel, "expert_tensor", layout.expert_tensor);
      if (layout.expert * layout.expert_tensor > 1)
        add_member(parallel, "dispatch", backend == "deepep" ? "per-node" : "per-expert");
    }
    read_data(layout);
  }

  void read_context(const TitanLayout& layout) {
    const auto method = settings_.word("parallelism.context_parallel_rotate_method").value_or("allgather");
    if (method != "allgather" && method != "alltoall")
      settings_.refuse("parallelism.context_parallel_rotate_method", "allgather or alltoall",
                       '"' + method + '"');
    if (layout.context == 1) return;
    add_member(experiment_.parallel, "context", layout.context);
    add_member(experiment_.parallel, "context_by", "ring");
    if (method == "allgather")
      assumptions_.push_back(
          "keys and values of context parallelism move around a ring, though all are gathered "
          "at once (context_parallel_rotate_method)");
  }

  // FSDP where parameters are sharded, DDP otherwise.
  void read_data(const TitanLayout& layout) {
    Object& parallel = experiment_.parallel;
    const auto policy = settings_.word("parallelism.fsdp_reshard_after_forward").value_or("default");
    if (policy != "default" && policy != "always" && policy != "never")
      settings_.refuse("parallelism.fsdp_reshard_after_forward", "default, always or never",
                       '"' + policy + '"');
    if (layout.shards == 1) return add_member(parallel, "data", "plain");
    add_member(parallel, "data", "zero3");
    // By default a pipeline keeps gathered parameters (torchtitan/models/llama3/infra/parallelize.py).
    if (policy == "never" || (policy == "default" && layout.pipeline.ranks > 1))
      add_member(parallel, "reshard_after_forward", false);
    if (layout.shards < layout.replicas * layout.context)
      add_member(parallel, "data_parallel_shard_degree", layout.shards);
  }

  // The framework's weights are FP32, from which BF16 is cast.
  void read_type() {
    const auto type = settings_.word("training.dtype").value_or("float32");
    if (type != "float32")
      settings_.refuse("training.dtype", "float32, since training in BF16 alone is not priced",
                       '"' + type + '"');
  }

  void read_checkpoint() {
    const auto mode = settings_.word("activation_checkpoint.mode").value_or("selective");
    const auto option = settings_.word("activation_checkpoint.selective_ac_option").value_or("2");
    if (mode == "none") return;
    if (mode == "full") return add_member(block(), "recompute", "full");
    if (mode != "selective")
      return settings_.refuse("activation_checkpoint.mode", "none, selective or full", '"' + mode + '"');
    if (option == "op") return add_member(block(), "recompute", "alternate");
    const auto every = settings_.has("activation_checkpoint.selective_ac_option")
                           ? settings_.whole("activation_checkpoint.selective_ac_option")
                           : std::optional<std::uint32_t>(2);
    add_member(block(), "recompute", "full");
    if (every.value_or(1) > 1) add_member(block(), "recompute_every", *every);
  }

  void read_compile() {
    const bool compiles = settings_.flag("compile.enable");
    std::vector<std::string> parts = settings_.words("compile.components");
    if (!settings_.has("compile.components")) parts = {"model", "loss"};
    const bool model = compiles && std::ranges::find(parts, "model") != parts.end();
    experiment_.framework = model ? "torchtitan-compiled" : "torchtitan-eager";
    if (!compiles || std::ranges::find(parts, "loss") == parts.end()) return;
    assumptions_.push_back("the gradient of the compiled loss lies over the logits");
    add_loss_of_one_kernel(experiment_.framework_set,
                           "the settings' compile.components: of the cast to FP32 and the cross entropy "
                           "torch.compile makes one kernel");
  }

  void read_converters() {
    const std::vector<std::string> converters = settings_.words("model.converters");
    bool eight = false, scaled = false;
    for (const std::string& each : converters) {
      eight |= each == "float8" || each == "quantize.linear.float8";
      scaled |= each == "mx" || each == "quantize.linear.mx";
      if (!each.ends_with("float8") && !each.ends_with("mx"))
        settings_.refuse("model.converters", "float8 or mx", '"' + each + '"');
    }
    pass_unused("quantize.linear.float8.", !eight);
    pass_unused("quantize.linear.mx.", !scaled);
    pass_unused("quantize.grouped_mm.", converters.empty());
    if (eight && scaled) settings_.refuse("model.converters", "one of float8 and mx", "both");
    if (scaled) add_member(block(), "fp8", "mxfp8");
    if (!eight) return;
    const auto recipe = settings_.word("quantize.linear.float8.recipe_name").value_or("tensorwise");
    if (recipe != "tensorwise")
      settings_.refuse("quantize.linear.float8.recipe_name", "tensorwise", '"' + recipe + '"');
    add_member(block(), "fp8", "tensorwise");
    read_filters();
  }

  // The head stays in BF16 here, and gates of routers are too small to matter.
  void read_filters() {
    constexpr std::string_view kFilters = "quantize.linear.float8.filter_fqns";
    for (const LaunchArgument& argument : settings_.all())
      if (argument.name == kFilters && std::ranges::all_of(argument.values, [](const ScriptWord& value) {
            return value.text == "output" || value.text == "router.gate";
          }))
        return void(settings_.words(kFilters));
  }

  // Settings of a conversion that is not asked for.
  void pass_unused(const std::string& prefix, bool unused) {
    if (unused) settings_.pass_over(prefix + '*');
  }

  Arguments& settings_;
  const LaunchOptions& options_;
  LaunchExperiment experiment_ = {};
  std::vector<std::string> assumptions_ = {};
};

}  // namespace

std::span<const std::string_view> idle_titan_settings() {
  return kIdleTitan;
}

LaunchReading read_titan(Arguments& settings, std::optional<std::uint32_t> devices,
                         const LaunchOptions& options) {
  return TitanReader(settings, options).run(devices);
}

}  // namespace spillway
