// Settings as pytorch/torchtitan v0.2.2 (73a0e6979d), torchtitan/config/job_config.py; stages as
// torchtitan/distributed/pipeline_parallel.py (generate_llm_fqn_per_model_part). FSDP is always on, and
// reduces gradients once, behind the pipeline. Test: tests/launch/write_property_test.cpp.
#include "launch/write/titan.h"

#include <algorithm>
#include <array>

#include "launch/titan/model.h"
#include "launch/write/script.h"
#include "launch/write/toml.h"
#include "schedule/skeleton.h"

namespace spillway {
namespace {

// Settings that give the stages of a job.
struct TitanSplit {
  std::uint32_t first_less = 0, last_less = 0;
  std::uint32_t layers_per_stage = 0;
};

// The decoder layers of each stage: embedding and head count as so many layers, and the first stages take the
// remainder. Nothing if a stage has too few for them.
std::vector<std::uint32_t> stages_of(const TitanSplit& split, std::uint32_t layers, std::uint32_t stages) {
  const std::uint32_t counted = layers + split.first_less + split.last_less;
  const std::uint32_t each = counted / stages, more = counted % stages;
  if (each == 0 || split.first_less > each || split.last_less > each) return {};
  std::vector<std::uint32_t> all;
  for (std::uint32_t stage = 0; stage < stages; ++stage) all.push_back(each + (stage < more ? 1 : 0));
  all.front() -= split.first_less;
  all.back() -= split.last_less;
  return all;
}

std::optional<TitanSplit> split_of(const LaunchJob& job) {
  std::vector<std::uint32_t> wanted;
  for (const StageParts& stage : job.stages) wanted.push_back(stage.decoder);
  const std::uint32_t layers = job.model.num_hidden_layers;
  const auto stages = static_cast<std::uint32_t>(wanted.size());
  const std::uint32_t most = layers / stages + 1;
  for (std::uint32_t first = 0; first <= most; ++first)
    for (std::uint32_t last = 0; last <= most; ++last) {
      const TitanSplit split{first, last, (layers + first + last + stages - 1) / stages};
      if (stages_of(split, layers, stages) == wanted) return split;
    }
  return std::nullopt;
}

struct Named {
  SkeletonKind kind;
  std::string_view one, several;  // by stages of a rank; empty: no such schedule
};
constexpr std::array<Named, 4> kTitanSchedules{{{SkeletonKind::OneFOneB, "1F1B", "Interleaved1F1B"},
                                                {SkeletonKind::GPipe, "GPipe", "LoopedBFS"},
                                                {SkeletonKind::ZbV, "ZBVZeroBubble", ""},
                                                {SkeletonKind::DualPipeV, "DualPipeV", ""}}};

class TitanWriter {
 public:
  TitanWriter(const LaunchJob& job, std::string_view software) : job_(job), software_(software) {}

  LaunchAnswer run() {
    if (job_.tower) return LaunchReasons{"import reads no flavour of it with an encoder"};
    add_model();
    add_training();
    add_degrees();
    add_pipeline();
    add_sharding();
    add_experts();
    add_checkpoint();
    add_converters();
    check_rest();
    if (!lacks_.empty()) return lacks_;
    std::string arguments = parallelism_.one_line() + training_.one_line() + checkpoint_.one_line();
    arguments.pop_back();
    return WrittenLaunch{{{"train.sh", script()}, {"train.toml", toml()}}, std::move(arguments)};
  }

 private:
  void cannot(std::string reason) { lacks_.push_back(std::move(reason)); }

  void add_model() {
    if (job_.model.num_nextn_predict_layers > 0) cannot("it has no multi-token prediction");
    const auto flavour = titan_flavour(published_network(job_));
    if (!flavour) return cannot("none of its flavours is this model: " + titan_flavour_names());
    model_.add("name", flavour->model).add("flavor", flavour->flavour);
    model_.add("hf_assets_path", "./assets/hf/" + flavour->model + '-' + flavour->flavour);
  }

  // The batch of a pipeline is cut into microbatches; otherwise gradients are accumulated.
  void add_training() {
    const std::uint32_t size = job_.microbatch_size;
    training_.add("local_batch_size", job_.ranks() > 1 ? job_.microbatches() * size : size)
        .add("global_batch_size", job_.batch())
        .add("seq_len", job_.sequence_tokens)
        .add("steps", 20)
        .add("dataset", "c4")
        .add("dtype", "float32")
        .add("mixed_precision_param", "bfloat16")
        .add("mixed_precision_reduce", "float32");
  }

  void add_degrees() {
    const Parallelism& sizes = job_.parallel;
    parallelism_.add("pipeline_parallel_degree", job_.ranks())
        .add("tensor_parallel_degree", sizes.tensor)
        .add("context_parallel_degree", sizes.context);
    if (sizes.tensor > 1 && !sizes.sequence_parallel)
      cannot("its tensor parallelism always splits sequences between sublayers");
    if (sizes.tensor > 1 && sizes.tensor_overlap == TensorOverlap::All)
      parallelism_.add("enable_async_tensor_parallel", true);
    if (sizes.context > 1 && sizes.context_by == ContextBy::Ulysses)
      cannot("its context parallelism exchanges keys and values, not heads");
  }

  void add_pipeline() {
    if (job_.ranks() == 1) return;
    const auto known = std::ranges::find(kTitanSchedules, job_.kind, &Named::kind);
    const std::string_view name = known == kTitanSchedules.end() ? ""
                                  : job_.chunks > 1              ? known->several
                                                                 : known->one;
    if (name.empty()) return cannot("it has no schedule " + job_.schedule);
    check_group();
    const auto split = split_of(job_);
    if (!split)
      return cannot("no numbers of layers of its first and last stage give the stages " +
                    pipeline_layout_text(job_.stages));
    parallelism_.add("pipeline_parallel_schedule", name)
        .add("pipeline_parallel_microbatch_size", job_.microbatch_size)
        .add("pipeline_parallel_first_stage_less_layers", split->first_less)
        .add("pipeline_parallel_last_stage_less_layers", split->last_less);
    if (job_.chunks > 1) parallelism_.add("pipeline_parallel_layers_per_stage", split->layers_per_stage);
  }

  // torch/distributed/pipelining/schedules.py, ScheduleInterleaved1F1B: as many rounds as M / P.
  void check_group() {
    if (job_.microbatch_group == 0) return;
    const std::uint32_t rounds = std::max(1U, job_.microbatches() / job_.ranks());
    if (job_.microbatches() % rounds != 0)
      return cannot("its interleaved schedule needs microbatches in " + std::to_string(rounds) +
                    " equal rounds, not " + std::to_string(job_.microbatches()) + " of them");
    if (job_.microbatch_group != job_.microbatches() / rounds)
      cannot("its interleaved schedule has groups of " + std::to_string(job_.microbatches() / rounds) +
             " microbatches, not of " + std::to_string(job_.microbatch_group));
  }

  void add_sharding() {
    const Parallelism& sizes = job_.parallel;
    const std::uint32_t copies = job_.replicas() * sizes.context;
    if (copies > 1 && (sizes.data == DataParallel::Zero1 || sizes.data == DataParallel::Zero2))
      return cannot("it shares out parameters with the optimizer states, or nothing");
    if (copies > 1 && sizes.data == DataParallel::Plain && sizes.context > 1)
      return cannot("its context parallelism shares out parameters");
    const bool whole = sizes.data != DataParallel::Zero3 || copies == 1;
    const std::uint32_t degree = sizes.shard_degree == 0 ? copies : sizes.shard_degree;
    if (!whole && degree % sizes.context != 0)
      return cannot("parameters are shared out over multiples of the context parallel size");
    const std::uint32_t shards = whole ? 1 : degree / sizes.context;
    parallelism_.add("data_parallel_replicate_degree", job_.replicas() / shards)
        .add("data_parallel_shard_degree", shards);
    if (!whole)
      parallelism_.add("fsdp_reshard_after_forward", sizes.reshard_after_forward ? "always" : "never");
  }

  void add_experts() {
    if (!job_.has_experts()) return;
    const Parallelism& sizes = job_.parallel;
    if (sizes.fp8_dispatch) cannot("it sends no tokens to experts in FP8");
    parallelism_.add("expert_parallel_degree", sizes.expert);
    if (sizes.expert > 1)
      parallelism_.add("expert_tensor_parallel_degree", sizes.expert_tensor);
    else if (sizes.expert_tensor != sizes.tensor)
      cannot("without expert parallelism it splits experts as everything else");
    if (sizes.expert_devices() == 1) return;
    if (sizes.dispatch == ExpertDispatch::AllGather) return cannot("it gathers no tokens for all experts");
    parallelism_.add("expert_parallel_comm_backend",
                     sizes.dispatch == ExpertDispatch::PerNode ? "deepep" : "standard");
  }

  void add_checkpoint() {
    const Recomputation& recompute = job_.backbone.recompute;
    if (recompute.modules.any() || recompute.first || recompute.together > 1 ||
        recompute.what == Recompute::Selective || (recompute.every > 1 && recompute.what != Recompute::Full))
      return cannot("it does not recompute " + recompute_words(recompute));
    const bool alternate = recompute.what == Recompute::Alternate;
    const bool selects = alternate || recompute.every > 1;
    checkpoint_.add("mode", selects ? "selective" : recompute.what == Recompute::Full ? "full" : "none");
    if (selects) checkpoint_.add("selective_ac_option", alternate ? "op" : std::to_string(recompute.every));
  }

  void add_converters() {
    const Precision& precision = job_.backbone.precision;
    if (!precision.narrow_products()) return;
    const bool scaled = precision.fp8 == Fp8Scaling::Mxfp8;
    Precision known;
    known.fp8 = scaled ? Fp8Scaling::Mxfp8 : Fp8Scaling::Tensorwise;
    if (!(precision == known)) return cannot("import reads FP8 of it as tensorwise or mxfp8 products alone");
    model_.add("converters",
               std::vector<std::string>{scaled ? "quantize.linear.mx" : "quantize.linear.float8"});
  }

  void check_rest() {
    if (!job_.trainable || job_.backbone.adapters.rank > 0) cannot("it trains all parameters");
    if (job_.backbone.offload.any()) cannot("the offloading of activations has no setting that import reads");
    if (!job_.model.fused_attention) cannot("it has no attention that keeps its scores");
    if (!(job_.parallel.states == OptimizerStates{}) || job_.parallel.main_remainders ||
        job_.parallel.optimizer == OptimizerPlace::Swapped)
      cannot("its optimizer states are in FP32, on the device");
  }

  std::string toml() const {
    TomlTable job("job"), optimizer("optimizer"), compile("compile");
    job.add("dump_folder", "./outputs");
    optimizer.add("name", "AdamW").add("lr", 1e-4);
    std::vector<std::string> compiled;
    if (job_.framework().name != "torchtitan, eager") compiled.emplace_back("model");
    if (job_.framework().fused_loss) compiled.emplace_back("loss");
    compile.add("enable", !compiled.empty());
    if (!compiled.empty()) compile.add("components", compiled);
    std::string text =
        "# Settings of " + std::string(software_) + ". Steps, data, rates and paths are the user's.\n";
    for (const TomlTable* table : std::array<const TomlTable*, 7>{&job, &model_, &optimizer, &training_,
                                                                  &parallelism_, &checkpoint_, &compile})
      text += '\n' + table->text();
    return text;
  }

  std::string script() const {
    return script_head(job_, software_) +
           "\ntorchrun \"${LAUNCH_ARGS[@]}\" -m torchtitan.train --job.config_file train.toml\n";
  }

  const LaunchJob& job_;
  std::string_view software_;
  LaunchReasons lacks_ = {};
  TomlTable model_{"model"}, training_{"training"}, parallelism_{"parallelism"},
      checkpoint_{"activation_checkpoint"};
};

}  // namespace

LaunchAnswer write_titan(const LaunchJob& job, std::string_view software) {
  return TitanWriter(job, software).run();
}

}  // namespace spillway
