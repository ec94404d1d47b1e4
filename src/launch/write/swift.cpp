// Arguments as modelscope/ms-swift @3602360a56, swift/megatron/arguments/megatron_args.py: those of
// Megatron-LM with lower dashes, and with a value behind every flag. The tower is Hugging Face's, whole on
// the first pipeline rank. Test: tests/launch/write_images_test.cpp.
#include "launch/write/swift.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "launch/write/hub_models.h"
#include "launch/write/megatron.h"
#include "launch/write/script.h"
#include "schedule/skeleton.h"

namespace spillway {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;
constexpr std::array kOtherNames = std::to_array<Pair>(
    {{"--num-virtual-stages-per-pipeline-rank", "--virtual_pipeline_model_parallel_size"},
     {"--microbatch-group-size-per-virtual-pipeline-stage", "--microbatch_group_size_per_vp_stage"}});

LaunchOption in_words_of_swift(const LaunchOption& option) {
  LaunchOption ours = option;
  const auto other = std::ranges::find(kOtherNames, option.name, &Pair::first);
  if (other != kOtherNames.end())
    ours.name = other->second;
  else
    std::replace(ours.name.begin() + 2, ours.name.end(), '-', '_');
  if (ours.values.empty()) ours.values = {"true"};
  return ours;
}

OptionGroup in_words_of_swift(const OptionGroup& group) {
  OptionGroup ours(group.name());
  for (const LaunchOption& option : group.options()) {
    const LaunchOption one = in_words_of_swift(option);
    ours.add(one.name, one.values);
  }
  return ours;
}

class SwiftWriter {
 public:
  SwiftWriter(const LaunchJob& job, std::string_view software)
      : job_(job), software_(software), options_(job, lacks_) {}

  LaunchAnswer run() {
    if (!job_.tower) return LaunchReasons{"it is written for models with images; Megatron-LM has the others"};
    check();
    options_.check();
    options_.check_core();
    options_.add_sizes();
    options_.add_stages();
    options_.add_dispatch();
    add_sharding();
    options_.add_overlap();
    add_recomputation();
    options_.add_precision();
    options_.add_optimizer();
    OptionGroup model = model_options();
    if (!lacks_.empty()) return lacks_;
    const OptionGroup layout = in_words_of_swift(options_.layout),
                      training = in_words_of_swift(options_.training);
    return WrittenLaunch{{{"train.sh", script({std::move(model), layout, training, data()})}},
                         one_line({layout, training}),
                         {"the bounds of images are the model's, since an experiment keeps the sizes alone"}};
  }

 private:
  void cannot(std::string reason) { lacks_.push_back(std::move(reason)); }

  void check() {
    const Recomputation& tower = job_.tower->costs.recompute;
    if (needs_experts(job_.kind)) cannot("it has no schedule " + job_.schedule);
    if (!is_on_first_stage(*job_.tower))
      cannot("the first stage has the whole tower, and no other has a part of it");
    if (job_.stages.front().embedding == 0) cannot("the first stage has the embedding beside the tower");
    if (job_.backbone.adapters.rank + job_.tower->costs.adapters.rank > 0)
      cannot("import reads no low-rank adapters of models with images");
    if (tower.any() && !(tower == Recomputation(Recompute::Full)))
      cannot("its tower recomputes whole layers, all of them or none");
    if (job_.chunks > 1 && job_.experiment->point_to_point != PointToPoint::Overlapped)
      cannot("import reads no argument of it for transfers that block");
    const Precision& precision = job_.backbone.precision;
    if (precision.fp8_attention || precision.fp8_activation_input)
      cannot("it has no argument for attention or activations in FP8");
    if (job_.tower->costs.precision.narrow_products()) cannot("its tower runs in BF16");
    if (job_.parallel.context > 1)
      options_.layout.add("--cp-comm-type", job_.parallel.context_by == ContextBy::Ring ? "p2p" : "a2a");
  }

  void add_sharding() {
    const Parallelism& sizes = job_.parallel;
    options_.layout.add("--use-distributed-optimizer", sizes.data == DataParallel::Plain ? "false" : "true");
    if (!is_sharded()) return;
    if (!sizes.reshard_after_forward) cannot("Megatron-FSDP frees parameters after each forward");
    if (sizes.shard_degree > 0 && sizes.shard_degree != job_.replicas() * sizes.context)
      cannot("import reads no groups of Megatron-FSDP smaller than all replicas");
    const bool all = sizes.data == DataParallel::Zero3;
    options_.layout.add("--use-megatron-fsdp")
        .add("--data-parallel-sharding-strategy", all ? "optim_grads_params" : "optim_grads");
  }
  bool is_sharded() const {
    return job_.parallel.data == DataParallel::Zero2 || job_.parallel.data == DataParallel::Zero3;
  }

  // Without the argument it recomputes attention.
  void add_recomputation() {
    options_.add_recomputation();
    if (!job_.backbone.recompute.any()) options_.training.add("--recompute-granularity", "none");
  }

  OptionGroup model_options() {
    OptionGroup options("MODEL_ARGS");
    const auto name = hub_model(published_network(job_), job_.tower->tower);
    if (!name) cannot("no published name of this model is known");
    const char* freezes = job_.tower->trainable ? "false" : "true";
    options.add("--model", name.value_or(""));
    options.add("--tuner_type", "full").add("--freeze_llm", "false");
    options.add("--freeze_vit", freezes).add("--freeze_aligner", freezes);
    if (job_.tower->trainable)
      options.add("--vit_gradient_checkpointing", job_.tower->costs.recompute.any() ? "true" : "false");
    options.add("--attention_backend", job_.model.fused_attention ? "flash" : "unfused");
    options.add("--padding_free", "true").add("--packing", job_.packs_images() ? "true" : "false");
    options.add("--max_length", job_.packs_images() ? job_.sequence_tokens : 32768);
    return options;
  }

  OptionGroup data() const {
    OptionGroup options("DATA_ARGS");
    options.add("--dataset", "AI-ModelScope/LaTeX_OCR:human_handwrite").add("--output_dir", "output");
    options.add("--train_iters", 20).add("--lr", "1e-5");
    return options;
  }

  std::string script(const std::vector<OptionGroup>& groups) const {
    const std::uint32_t devices = devices_on_node(job_);
    std::string text = script_comment(job_, software_) + "\n# DATA_ARGS are an example's.\n", command;
    for (const OptionGroup& group : groups) {
      text += shell_array(group) + '\n';
      command += " \\\n  \"${" + group.name() + "[@]}\"";
    }
    // Megatron-FSDP refuses one connection.
    return text + "CUDA_DEVICE_MAX_CONNECTIONS=" + (is_sharded() ? "32" : "1") +
           " \\\nNPROC_PER_NODE=" + std::to_string(devices) +
           " \\\nNNODES=" + std::to_string(job_.devices() / devices) +
           " \\\nNODE_RANK=\"${NODE_RANK:-0}\" \\\nMASTER_ADDR=\"${MASTER_ADDR:-localhost}\" \\\n"
           "megatron sft" +
           command + '\n';
  }

  const LaunchJob& job_;
  std::string_view software_;
  LaunchReasons lacks_ = {};
  MegatronOptions options_;
};

}  // namespace

LaunchAnswer write_swift(const LaunchJob& job, std::string_view software) {
  return SwiftWriter(job, software).run();
}

}  // namespace spillway
