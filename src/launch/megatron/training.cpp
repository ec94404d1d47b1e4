// Defaults as in NVIDIA/Megatron-LM @d98e8a64dd, Ascend/MindSpeed-LLM @c77308a14b and modelscope/ms-swift
// @3602360a56. Test: tests/launch/megatron_scripts_test.cpp.
#include "launch/megatron/training.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "launch/command/json_members.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMuonSteps = 5;  // OptimizerConfig.muon_num_ns_steps

using Words = std::initializer_list<std::pair<std::string_view, std::string_view>>;

class TrainingArguments {
 public:
  TrainingArguments(Arguments& arguments, MegatronFlavour flavour, const MegatronLayout& layout,
                    bool has_experts)
      : arguments_(arguments), flavour_(flavour), layout_(layout), has_experts_(has_experts) {}

  MegatronTraining run() {
    read_parallel();
    read_context();
    if (has_experts_) read_experts();
    read_data();
    read_optimizer();
    read_precision();
    read_fp8();
    read_recompute();
    read_attention();
    read_loss();
    read_adapters();
    read_dropout("--attention-dropout");
    read_dropout("--hidden-dropout");
    if (is(MegatronFlavour::Bridge)) {
      const auto graphs = translated("--cuda-graph-impl", {{"none", ""}, {"transformer_engine", "layers"}});
      training_.captures_graphs = graphs && !graphs->empty();
    }
    return std::move(training_);
  }

 private:
  bool is(MegatronFlavour flavour) const { return flavour_ == flavour; }

  // The value of ours for a word of the script's; nothing if the argument is not given or has no such word.
  std::optional<std::string> translated(std::string_view name, Words words) {
    const auto given = arguments_.word(name);
    if (!given) return std::nullopt;
    std::vector<std::string_view> known;
    for (const auto& [theirs, ours] : words) {
      if (theirs == *given) return std::string(ours);
      known.push_back(theirs);
    }
    arguments_.refuse(name, joined(known, " or "), '"' + *given + '"');
    return std::nullopt;
  }

  void read_parallel() {
    add_member(training_.parallel, "tensor", layout_.tensor);
    const bool sequence = arguments_.flag("--sequence-parallel");
    const bool user_buffers = arguments_.flag("--tp-comm-overlap");
    const bool newer = arguments_.flag("--use-ascend-mc2");
    const bool chunked = arguments_.flag("--use-mc2") || newer;
    const bool cut = arguments_.flag("--use-ascend-coc");
    if (layout_.tensor == 1) return;
    add_member(training_.parallel, "sequence_parallel", sequence);
    if (user_buffers || chunked || cut) add_member(training_.parallel, "tensor_overlap", "all");
  }

  void read_context() {
    if (layout_.context == 1) {
      arguments_.known_word("--context-parallel-algo");
      arguments_.known_word("--cp-comm-type");
      return;
    }
    add_member(training_.parallel, "context", layout_.context);
    auto by =
        translated("--context-parallel-algo", {{"megatron_cp_algo", "ring"}, {"ulysses_cp_algo", "ulysses"}});
    if (!by) by = translated("--cp-comm-type", {{"p2p", "ring"}, {"a2a", "ulysses"}});
    // MindSpeed's default is by heads, Megatron's a ring.
    add_member(training_.parallel, "context_by",
               by.value_or(is(MegatronFlavour::MindSpeed) ? "ulysses" : "ring"));
  }

  void read_experts() {
    add_member(training_.parallel, "expert", layout_.expert);
    if (layout_.expert_tensor > 1) add_member(training_.parallel, "expert_tensor", layout_.expert_tensor);
    auto dispatch = translated("--moe-token-dispatcher-type", {{"alltoall", "per-expert"},
                                                               {"alltoall_seq", "per-expert"},
                                                               {"allgather", "all-gather"},
                                                               {"flex", "per-node"}});
    if (arguments_.flag("--moe-enable-deepep")) dispatch = "per-node";
    const std::string otherwise = is(MegatronFlavour::Swift) ? "per-expert" : "all-gather";
    if (layout_.expert * layout_.expert_tensor > 1)
      add_member(training_.parallel, "dispatch", dispatch.value_or(otherwise));
  }

  void read_data() {
    const bool given = arguments_.has("--use-distributed-optimizer");
    const bool flag = arguments_.flag("--use-distributed-optimizer");
    const bool layer_wise = arguments_.word("--optimizer") == "dist_muon";
    const bool distributed = flag || layer_wise || (!given && is(MegatronFlavour::Swift));
    const bool custom = arguments_.flag("--use-custom-fsdp");
    const bool megatron = arguments_.flag("--use-megatron-fsdp");
    const bool torch = arguments_.flag("--use-torch-fsdp2");
    const auto again = arguments_.known_word("fsdp2.reshard_after_forward");
    const bool keeps =
        arguments_.flag("--torch-fsdp2-no-reshard-after-forward") || (again && lower(*again) == "false");
    std::string data = distributed ? "zero1" : "plain";
    if (custom || megatron) {
      const auto strategy =
          translated("--data-parallel-sharding-strategy", {{"no_shard", "plain"},
                                                           {"optim", "zero1"},
                                                           {"optim_grads", "zero2"},
                                                           {"optim_grads_params", "zero3"}});
      data = strategy.value_or("plain");
    }
    if (torch) data = "zero3";
    add_member(training_.parallel, "data", data);
    if (torch && keeps) add_member(training_.parallel, "reshard_after_forward", false);
    training_.overlaps_gradients = arguments_.flag("--overlap-grad-reduce");
    training_.overlaps_parameters = arguments_.flag("--overlap-param-gather");
    training_.reduces_in_bf16 = arguments_.flag("--grad-reduce-in-bf16");
  }

  // The layer-wise optimizer (dist_muon) shares out whole matrices and gathers them, as ZeRO-1 gathers
  // shards.
  void read_update() {
    const auto rule = translated("--optimizer", {{"adam", ""}, {"muon", "muon"}, {"dist_muon", "muon"}});
    const auto steps = arguments_.whole("--muon-num-ns-steps");
    if (layout_.tensor > 1)
      translated("--muon-tp-mode", {{"blockwise", ""}});
    else
      arguments_.known_word("--muon-tp-mode");
    if (rule == "muon") add_member(training_.parallel, "muon_num_ns_steps", steps.value_or(kMuonSteps));
  }

  void read_optimizer() {
    read_update();
    if (arguments_.flag("--swap-optimizer")) add_member(training_.parallel, "optimizer", "swapped");
    const bool offloads = arguments_.flag("--optimizer-cpu-offload");
    const auto share = offloads ? arguments_.number("--optimizer-offload-fraction") : std::nullopt;
    if (offloads) add_member(training_.parallel, "optimizer_offload_fraction", share.value_or(1.0));
    if (!arguments_.flag("--use-precision-aware-optimizer")) {
      for (const char* name : {"--main-params-dtype", "--exp-avg-dtype", "--exp-avg-sq-dtype"})
        arguments_.known_word(name);
      return;
    }
    const auto main = translated("--main-params-dtype", {{"fp32", "fp32"}, {"fp16", "fp16"}});
    // OptimizerConfig.store_param_remainders is true by default, and is for FP32 beside BF16.
    const bool remainder = main.value_or("fp32") == "fp32" && !arguments_.flag("--fp8-param-gather") &&
                           !arguments_.has("--fp16");
    add_member(training_.parallel, "main_params_dtype", remainder ? "remainder" : main.value_or("fp32"));
    const Words kTypes = {{"fp32", "fp32"}, {"bf16", "bf16"}, {"fp16", "fp16"}, {"fp8", "fp8"}};
    if (const auto first = translated("--exp-avg-dtype", kTypes))
      add_member(training_.parallel, "exp_avg_dtype", *first);
    if (const auto second = translated("--exp-avg-sq-dtype", kTypes))
      add_member(training_.parallel, "exp_avg_sq_dtype", *second);
  }

  void read_precision() {
    const auto sharded = arguments_.known_word("fsdp2.param_dtype");  // of MindSpeed-MM's FSDP2
    const bool bf16 = arguments_.flag("--bf16") || (sharded && *sharded == "bf16");
    training_.fp16 = arguments_.flag("--fp16");
    if (training_.fp16) training_.assumptions.push_back("FP16 (--fp16) is priced as BF16");
    if (bf16 || training_.fp16 || is(MegatronFlavour::Swift)) return;
    if (is(MegatronFlavour::Nemo))
      return arguments_.findings().add("trainer.precision",
                                       "bf16 or 16, since training in FP32 is not priced "
                                       "(--argument \"trainer.precision bf16\")",
                                       "another");
    arguments_.findings().add("--bf16",
                              "--bf16 or --fp16, since training in FP32 is not priced (--argument --bf16)",
                              "neither in the script");
  }

  void read_fp8() {
    const auto format = translated("--fp8-format", {{"hybrid", "fp8"}, {"e4m3", "fp8"}});
    const auto recipe = translated("--fp8-recipe", {{"delayed", "delayed"},
                                                    {"tensorwise", "tensorwise"},
                                                    {"blockwise", "blockwise"},
                                                    {"mxfp8", "mxfp8"}});
    const bool keeps = arguments_.flag("--fp8-param-gather");
    const auto four = translated("--fp4-format", {{"e2m1", "nvfp4"}});
    const bool keeps_four = arguments_.flag("--fp4-param-gather");
    if (format) add_member(training_.block, "fp8", recipe.value_or("delayed"));
    if (format && keeps) add_member(training_.block, "fp8_param", true);
    if (four) add_member(training_.block, "fp4", *four);
    if (four && keeps_four) add_member(training_.block, "fp4_param", true);
    if (!format && !four) return;
    if (arguments_.flag("--fp8-dot-product-attention"))
      add_member(training_.block, "fp8_dot_product_attention", true);
    if (arguments_.flag("--activation-func-fp8-input-store"))
      add_member(training_.block, "activation_func_fp8_input_store", true);
    if (!arguments_.flag("--first-last-layers-bf16")) {
      // Without the flag they are never looked at.
      arguments_.pass_over("--num-layers-at-*-in-bf16");
      return;
    }
    add_member(training_.block, "num_layers_at_start_in_bf16", in_bf16("--num-layers-at-start-in-bf16"));
    add_member(training_.block, "num_layers_at_end_in_bf16", in_bf16("--num-layers-at-end-in-bf16"));
  }
  std::uint32_t in_bf16(std::string_view name) {
    const auto text = arguments_.known_word(name);
    return text && *text == "0" ? 0 : arguments_.whole(name).value_or(1);
  }

  void read_recompute() {
    const bool activations = arguments_.flag("--recompute-activations");
    auto granularity = arguments_.word("--recompute-granularity");
    if (activations) granularity = "selective";
    if (!granularity && is(MegatronFlavour::Swift)) granularity = "selective";
    const bool mixtures = arguments_.flag("--moe-layer-recompute");
    if (granularity && *granularity == "full") return recompute_layers();
    if (granularity && *granularity != "selective" && *granularity != "none")
      arguments_.refuse("--recompute-granularity", "selective or full", '"' + *granularity + '"');
    const bool selective = granularity && *granularity == "selective";
    std::vector<std::string> modules =
        selective ? arguments_.words("--recompute-modules") : std::vector<std::string>{};
    if (selective && modules.empty()) modules = {"core_attn"};
    if (mixtures) modules.push_back("moe");
    constexpr std::array<std::string_view, 7> kModules{"core_attn", "layernorm",      "mla_up_proj", "mlp",
                                                       "moe_act",   "shared_experts", "moe"};
    for (const std::string& module : modules)
      if (std::ranges::find(kModules, module) == kModules.end())
        arguments_.refuse("--recompute-modules", joined(kModules), '"' + module + '"');
    if (modules.size() == 1 && modules.front() == "core_attn")
      add_member(training_.block, "recompute", "selective");
    else if (!modules.empty())
      add_member(training_.block, "recompute", list_node(modules));
  }

  void recompute_layers() {
    add_member(training_.block, "recompute", "full");
    const auto method = arguments_.word("--recompute-method");
    const auto layers = arguments_.whole("--recompute-num-layers");
    if (method && *method != "uniform" && *method != "block")
      return arguments_.refuse("--recompute-method", "uniform or block", '"' + *method + '"');
    const bool block = method && *method == "block";
    if (block && !layers)
      return arguments_.ask_for("--recompute-num-layers", "the recomputed layers of a stage");
    if (block)
      add_member(training_.block, "recompute_layers", *layers);
    else if (layers.value_or(1) > 1)
      add_member(training_.block, "recompute_together", *layers);
  }

  void read_attention() {
    const auto backend = translated("--attention-backend", {{"flash", "fused"},
                                                            {"fused", "fused"},
                                                            {"auto", "fused"},
                                                            {"unfused", "unfused"},
                                                            {"local", "unfused"}});
    bool flash = arguments_.flag("--use-flash-attn");
    for (const char* name : {"mm.attn_implementation", "mm.text_decoder.attn_implementation"})
      flash |= arguments_.known_word(name) == "flash_attention_2";
    const auto implementation = arguments_.word("--transformer-impl");
    const bool local = is(MegatronFlavour::MindSpeed) || (implementation && *implementation == "local");
    const std::string otherwise = flash || !local ? "fused" : "unfused";
    if (backend.value_or(otherwise) == "unfused") add_member(training_.block, "attention", "unfused");
  }

  // Megatron-LM's own fusion, "native", has several kernels, as the one without it.
  void read_loss() {
    const bool fused = arguments_.flag("--cross-entropy-loss-fusion");
    training_.fuses_loss = arguments_.known_word("--cross-entropy-fusion-impl") == "te" && fused;
  }

  // MindSpeed-LLM has --lora-r, ms-swift --tuner-type lora.
  void read_adapters() {
    auto rank = arguments_.whole("--lora-r");
    const auto targets = arguments_.words("--lora-target-modules");
    auto tuner = arguments_.word("--tuner-type");
    if (!tuner) tuner = arguments_.word("--train-type");
    arguments_.known_word("--lora-alpha");
    if (tuner && *tuner != "full" && *tuner != "lora")
      arguments_.refuse("--tuner-type", "full or lora", '"' + *tuner + '"');
    if (tuner && *tuner == "lora") {
      rank = arguments_.whole("--lora-rank").value_or(8);
      const auto modules = arguments_.words("--target-modules");
      if (!modules.empty() && modules != std::vector<std::string>{"all-linear"})
        arguments_.refuse("--target-modules", "all-linear", '"' + joined(modules, " ") + '"');
    }
    if (!rank) return;
    add_member(training_.block, "lora_rank", *rank);
    if (!targets.empty()) add_member(training_.block, "lora_targets", list_node(targets));
    const double dropout = arguments_.number("--lora-dropout").value_or(0);
    if (dropout > 0) add_member(training_.block, "lora_dropout", dropout);
  }

  // Dropout of 0 has no kernel; another one is not priced, and stays among the arguments to be listed.
  void read_dropout(std::string_view name) {
    for (const LaunchArgument& argument : arguments_.all())
      if (argument.name == name && argument.values.size() == 1 &&
          !has_unknown(argument.values.front().text) &&
          argument.values.front().text.find_first_not_of("0.") == std::string::npos)
        return void(arguments_.number(name));
  }

  Arguments& arguments_;
  MegatronFlavour flavour_;
  const MegatronLayout& layout_;
  bool has_experts_;
  MegatronTraining training_ = {};
};

}  // namespace

MegatronTraining read_training(Arguments& arguments, MegatronFlavour flavour, const MegatronLayout& layout,
                               bool has_experts) {
  return TrainingArguments(arguments, flavour, layout, has_experts).run();
}

}  // namespace spillway
