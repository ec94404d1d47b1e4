// Arguments of Ascend/MindSpeed-LLM @c77308a14b (mindspeed_llm/features_manager), of Ascend/MindSpeed and of
// Megatron-LM core_v0.12.1, on which it is built. Test: tests/launch/write_property_test.cpp.
#include "launch/write/mindspeed.h"

#include <algorithm>

#include "base/text.h"
#include "launch/write/megatron.h"
#include "launch/write/megatron_model.h"
#include "launch/write/script.h"
#include "schedule/skeleton.h"

namespace spillway {
namespace {

class MindSpeedWriter {
 public:
  MindSpeedWriter(const LaunchJob& job, std::string_view software)
      : job_(job), software_(software), options_(job, lacks_) {}

  LaunchAnswer run() {
    if (job_.tower) return LaunchReasons{"it trains language models; MindSpeed-MM has encoders"};
    options_.check();
    options_.overlap_all = "--use-ascend-mc2";
    check_schedule();
    check_rest();
    add_stages();
    OptionGroup model = megatron_model(job_, MegatronFlavour::MindSpeed, lacks_, noop_);
    options_.add_sizes();
    options_.add_dispatch();
    add_context();
    add_sharding();
    options_.add_recomputation();
    options_.add_precision();
    if (!lacks_.empty()) return lacks_;
    return WrittenLaunch{{{"train.sh", script(std::move(model))}},
                         one_line({options_.layout, options_.training})};
  }

 private:
  void cannot(std::string reason) { lacks_.push_back(std::move(reason)); }
  bool folds() const { return job_.kind == SkeletonKind::DualPipeV; }

  void check_schedule() {
    if (job_.kind != SkeletonKind::OneFOneB && !folds()) return cannot("it has no schedule " + job_.schedule);
    if (folds() && job_.parallel.context > 1) cannot("dualpipev has no context parallelism");
    if (job_.chunks > 1 && job_.microbatch_group != job_.ranks())
      cannot("it interleaves groups of as many microbatches as pipeline ranks");
    if (job_.chunks > 1 && job_.experiment->point_to_point != PointToPoint::Overlapped)
      cannot("interleaving overlaps its transfers");
  }

  void check_rest() {
    const Parallelism& sizes = job_.parallel;
    if (job_.backbone.adapters.rank > 0)
      cannot("its low-rank adapters need a stage of tuning, which is not written");
    if (job_.backbone.precision.narrow_products()) cannot("import reads no FP8 of it");
    if (sizes.expert_devices() > 1 && sizes.dispatch == ExpertDispatch::PerNode)
      cannot("it has no dispatch of tokens by node");
    if (!(sizes.states == OptimizerStates{}) || sizes.main_remainders)
      cannot("import reads no optimizer states of it other than FP32");
  }

  void add_stages() {
    if (job_.ranks() == 1) return;
    const bool all_decode = std::ranges::all_of(job_.stages, &StageParts::decoder);
    if (!has_usual_ends(job_.stages) || !all_decode)
      return cannot("it has no stages that hold an embedding or a head alone");
    if (folds()) options_.layout.add("--schedules-method", "dualpipev");
    if (is_even(job_.stages) && job_.chunks > 1)
      options_.layout.add("--num-layers-per-virtual-pipeline-stage", job_.stages.front().decoder);
    if (is_even(job_.stages)) return;
    if (job_.chunks > 1 || folds()) return fill_stages();
    std::vector<std::string> layers;
    for (const StageParts& stage : job_.stages) layers.push_back(std::to_string(stage.decoder));
    options_.layout.add("--num-layer-list", joined(layers, ","));
  }

  // Layers that do nothing, at the end of each stage that has fewer than the others.
  void fill_stages() {
    const std::uint32_t most = std::ranges::max(job_.stages, {}, &StageParts::decoder).decoder;
    const std::uint32_t dense = job_.has_experts() ? job_.model.experts->first_k_dense_replace : 0;
    std::uint32_t begin = 0, before = 0;
    for (const StageParts& stage : job_.stages) {
      for (std::uint32_t i = stage.decoder; i < most; ++i) noop_.noop.push_back(begin + i);
      if (before < dense) noop_.dense_first = begin + std::min(stage.decoder, dense - before);
      before += stage.decoder;
      begin += most;
    }
    noop_.layers = begin;
    if (job_.chunks > 1) options_.layout.add("--num-layers-per-virtual-pipeline-stage", most);
  }

  void add_context() {
    if (job_.parallel.context == 1) return;
    const bool ring = job_.parallel.context_by == ContextBy::Ring;
    options_.layout.add("--context-parallel-algo", ring ? "megatron_cp_algo" : "ulysses_cp_algo");
  }

  void add_sharding() {
    const Parallelism& sizes = job_.parallel;
    if (sizes.optimizer == OptimizerPlace::Swapped) options_.training.add("--swap-optimizer");
    if (sizes.data == DataParallel::Plain) return void(options_.layout.add("--overlap-grad-reduce"));
    if (sizes.data == DataParallel::Zero2) return cannot("it shares out gradients only with parameters");
    options_.layout.add("--use-distributed-optimizer")
        .add("--overlap-grad-reduce")
        .add("--overlap-param-gather");
    if (sizes.data != DataParallel::Zero3) return;
    if (!sizes.reshard_after_forward) cannot("its FSDP frees parameters after each forward");
    if (sizes.shard_degree > 0 && sizes.shard_degree != job_.replicas() * sizes.context)
      cannot("import reads no groups of its FSDP smaller than all replicas");
    options_.layout.add("--use-custom-fsdp")
        .add("--data-parallel-sharding-strategy", "optim_grads_params")
        .add("--no-gradient-accumulation-fusion");
  }

  // The layers of Qwen3 and DeepSeek are made by a specification.
  std::string specification() const {
    const auto* grouped = std::get_if<GroupedQueryAttention>(&job_.model.attention);
    if (grouped && !grouped->head_norms) return "";
    return grouped ? "mindspeed_llm.tasks.models.spec.qwen3_spec"
                   : "mindspeed_llm.tasks.models.spec.deepseek_spec";
  }

  std::string script(OptionGroup model) const {
    OptionGroup data("DATA_ARGS");
    data.add("--use-mcore-models").add("--transformer-impl", "local");
    if (const std::string spec = specification(); !spec.empty())
      data.add("--spec", std::vector<std::string>{spec, "layer_spec"});
    data.add("--tokenizer-type", "PretrainedFromHF").add("--train-iters", 20).add("--lr", "1e-4");
    std::string text = script_head(job_, software_) + "\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\n";
    text += script_body({std::move(model), options_.layout, options_.training, std::move(data)},
                        "pretrain_gpt.py");
    text.pop_back();
    return text + " \\\n  --tokenizer-name-or-path \"${TOKENIZER_PATH}\" --data-path \"${DATA_PATH}\"\n";
  }

  const LaunchJob& job_;
  std::string_view software_;
  LaunchReasons lacks_ = {};
  MegatronOptions options_;
  NoopLayers noop_ = {};
};

}  // namespace

LaunchAnswer write_mindspeed(const LaunchJob& job, std::string_view software) {
  return MindSpeedWriter(job, software).run();
}

}  // namespace spillway
