#include "search/launch_flags.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "launch/command/stages.h"

namespace spillway {
namespace {

constexpr const char* kUneven = "stages of unequal layers";

// A pipeline that a framework can express.
struct Body {
  SkeletonKind kind;
  std::size_t chunks;  // chunks per rank for interleaved 1F1B, otherwise 1
};

// Returns nothing for a schedule with transposed regions.
std::optional<Body> body_of_flags(const Schedule& schedule) {
  if (transposes(schedule)) return std::nullopt;
  return Body{schedule.skeletons.front().kind, schedule.skeletons.size()};
}

bool overlaps(const Schedule& schedule) {
  return std::ranges::any_of(schedule.skeletons, needs_experts);
}

class Flags {
 public:
  template <class Value>
  Flags& add(std::string_view name, const Value& value) {
    add(name);
    if constexpr (std::is_convertible_v<Value, std::string>)
      text_ += ' ' + std::string(value);
    else
      text_ += ' ' + std::to_string(value);
    return *this;
  }
  Flags& add(std::string_view name) {
    text_ += (text_.empty() ? "" : " ") + std::string(name);
    return *this;
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

// Returns the language model, if the job has nothing else.
const TextModel* language_model(const PlanJob& job) {
  const std::vector<BlockCosts>& blocks = job.clusters.front().analytic().costs.blocks;
  return blocks.size() == 1 ? std::get_if<TextModel>(&blocks.front().architecture) : nullptr;
}

// Returns "" if the frameworks' flags express the model.
std::string model_lacks(const PlanJob& job) {
  if (std::ranges::any_of(job.clusters.front().base.model.blocks(),
                          [](const Block& block) { return block.role == Role::Encoder; }))
    return "a model with an encoder";
  return language_model(job) ? "" : "a model that is not one language model";
}

std::uint32_t sequence_tokens(const PlanJob& job) {
  return job.clusters.front().analytic().workload.sequence_tokens;
}

// What Megatron calls the layers of each stage.
std::vector<StageParts> megatron_stages(const PlanJob& job, std::span<const std::uint32_t> stage_layers) {
  if (!language_model(job)) return {};
  const TextModel& model = *language_model(job);
  const std::uint32_t last = job.clusters.front().base.model.layer_count() - 1,
                      head = model.separate_vocabulary ? 1 : 0;
  std::vector<StageParts> stages;
  std::uint32_t layer = 0;
  for (const std::uint32_t layers : stage_layers) {
    StageParts& stage = stages.emplace_back();
    for (const std::uint32_t end = layer + layers; layer < end; ++layer) {
      if (layer == 0) stage.embedding = 1;
      if (layer == last) stage.loss = 1;
      if (model.num_nextn_predict_layers > 0 && layer == last - head)
        stage.prediction = model.num_nextn_predict_layers;
      else if (head == 0 || (layer > 0 && layer < last))
        ++stage.decoder;
    }
  }
  return stages;
}

// Returns true if a framework that shares out decoder layers evenly has these stages.
bool is_even(const std::vector<StageParts>& stages) {
  return std::ranges::all_of(stages, [&](const StageParts& stage) {
    return stage.decoder == stages.front().decoder &&
           stage.embedding == (&stage == &stages.front() ? 1u : 0u) &&
           stage.loss == (&stage == &stages.back() ? 1u : 0u);
  });
}

void add_megatron_sizes(Flags& flags, const PlanJob& job, const PlanLayout& layout) {
  flags.add("--tensor-model-parallel-size", layout.tensor)
      .add("--pipeline-model-parallel-size", layout.ranks)
      .add("--context-parallel-size", layout.context);
  if (layout.expert > 1)
    flags.add("--expert-model-parallel-size", layout.expert).add("--expert-tensor-parallel-size", 1);
  if (layout.tensor > 1) flags.add("--sequence-parallel");
  flags.add("--micro-batch-size", layout.microbatch)
      .add("--global-batch-size", job.batch)
      .add("--seq-length", sequence_tokens(job));
}

void add_megatron_recompute(Flags& flags, Recompute recompute) {
  if (recompute == Recompute::Selective) flags.add("--recompute-granularity", "selective");
  if (recompute == Recompute::Full)
    flags.add("--recompute-granularity", "full")
        .add("--recompute-method", "uniform")
        .add("--recompute-num-layers", 1);
}

// Returns "" if the framework can express the layout.
std::string megatron_lacks(const PlanJob& job, const PlanLayout& layout, bool dualpipev) {
  if (std::string lacks = model_lacks(job); !lacks.empty()) return lacks;
  if (layout.recompute == Recompute::Alternate) return "recomputation of every second matrix product";
  const Schedule& schedule = job.search.schedules[layout.schedule].schedule;
  const auto body = body_of_flags(schedule);
  const bool known =
      layout.ranks == 1 || (body && (body->kind == SkeletonKind::OneFOneB || overlaps(schedule) ||
                                     (dualpipev && body->kind == SkeletonKind::DualPipeV)));
  return known ? "" : "the schedule " + job.search.schedules[layout.schedule].name;
}

// A layout's stages say how many chunks a rank has.
void add_chunks(Flags& flags, const Schedule& schedule, bool even) {
  if (even && schedule.skeletons.size() > 1)
    flags.add("--num-virtual-stages-per-pipeline-rank", schedule.skeletons.size());
  if (overlaps(schedule)) flags.add("--overlap-moe-expert-parallel-comm");
}

LaunchFlags megatron(const PlanJob& job, const PlanLayout& layout, const std::vector<StageParts>& stages) {
  const std::string name = "Megatron-LM core_v0.19.0";
  if (std::string lacks = megatron_lacks(job, layout, false); !lacks.empty())
    return {name, std::nullopt, std::move(lacks)};
  Flags flags;
  add_megatron_sizes(flags, job, layout);
  add_chunks(flags, job.search.schedules[layout.schedule].schedule, is_even(stages));
  if (!is_even(stages))
    flags.add("--pipeline-model-parallel-layout", '"' + pipeline_layout_text(stages) + '"');
  add_megatron_recompute(flags, layout.recompute);
  if (layout.data == DataParallel::Zero1) flags.add("--use-distributed-optimizer");
  if (layout.data == DataParallel::Zero2 || layout.data == DataParallel::Zero3)
    flags.add("--use-megatron-fsdp")
        .add("--use-distributed-optimizer")
        .add("--ckpt-format", "fsdp_dtensor")
        .add("--data-parallel-sharding-strategy",
             layout.data == DataParallel::Zero2 ? "optim_grads" : "optim_grads_params");
  return {name, std::move(flags).text()};
}

LaunchFlags mindspeed(const PlanJob& job, const PlanLayout& layout, bool even) {
  const std::string name = "MindSpeed on Megatron core_v0.12.1";
  const Schedule& schedule = job.search.schedules[layout.schedule].schedule;
  std::string lacks = overlaps(schedule) ? "the schedule " + job.search.schedules[layout.schedule].name
                                         : megatron_lacks(job, layout, true);
  const bool dualpipev = layout.ranks > 1 && schedule.skeletons.front().kind == SkeletonKind::DualPipeV;
  if (lacks.empty() && dualpipev && layout.context > 1) lacks = "dualpipev with context parallelism";
  if (lacks.empty() && layout.data == DataParallel::Zero2) lacks = "zero2";
  if (lacks.empty() && !even) lacks = kUneven;
  if (!lacks.empty()) return {name, std::nullopt, std::move(lacks)};
  Flags flags;
  add_megatron_sizes(flags, job, layout);
  if (layout.context > 1) flags.add("--context-parallel-algo", "megatron_cp_algo");
  if (dualpipev) flags.add("--schedules-method", "dualpipev");
  add_chunks(flags, schedule, even);
  add_megatron_recompute(flags, layout.recompute);
  if (layout.data == DataParallel::Zero1) flags.add("--use-distributed-optimizer");
  if (layout.data == DataParallel::Zero3)
    flags.add("--use-custom-fsdp")
        .add("--use-distributed-optimizer")
        .add("--data-parallel-sharding-strategy", "optim_grads_params")
        .add("--no-gradient-accumulation-fusion");
  return {name, std::move(flags).text()};
}

constexpr std::array<std::pair<SkeletonKind, std::string_view>, 4> kTorchtitan{
    {{SkeletonKind::OneFOneB, "1F1B"},
     {SkeletonKind::GPipe, "GPipe"},
     {SkeletonKind::ZbV, "ZBVZeroBubble"},
     {SkeletonKind::DualPipeV, "DualPipeV"}}};

std::string torchtitan_schedule(const Schedule& schedule) {
  const auto body = body_of_flags(schedule);
  if (!body) return {};
  if (body->chunks == 2 && body->kind == SkeletonKind::OneFOneB) return "Interleaved1F1B";
  if (body->chunks > 1) return {};
  const auto known =
      std::ranges::find(kTorchtitan, body->kind, &std::pair<SkeletonKind, std::string_view>::first);
  return known == kTorchtitan.end() ? std::string() : std::string(known->second);
}

// In torchtitan FSDP is always on, and reduces gradients once, behind the pipeline.
LaunchFlags torchtitan(const PlanJob& job, const PlanLayout& layout, bool even) {
  const std::string name = "torchtitan v0.2.2";
  const std::string schedule = torchtitan_schedule(job.search.schedules[layout.schedule].schedule);
  std::string lacks = model_lacks(job);
  if (!lacks.empty()) return {name, std::nullopt, std::move(lacks)};
  if (layout.ranks > 1 && schedule.empty())
    lacks = "the schedule " + job.search.schedules[layout.schedule].name;
  else if (layout.data != DataParallel::Zero3 && layout.replicas > 1 && layout.data != DataParallel::Plain)
    lacks = "sharded optimizer states with whole parameters";
  else if (layout.recompute == Recompute::Selective)
    lacks = "recomputation of attention alone";
  else if (!even)
    lacks = kUneven;
  if (!lacks.empty()) return {name, std::nullopt, std::move(lacks)};
  const bool some = layout.recompute == Recompute::Alternate;
  Flags flags;
  flags.add("--parallelism.pipeline_parallel_degree", layout.ranks)
      .add("--parallelism.tensor_parallel_degree", layout.tensor)
      .add("--parallelism.context_parallel_degree", layout.context)
      .add("--parallelism.expert_parallel_degree", layout.expert);
  const bool sharded = layout.data == DataParallel::Zero3;
  flags.add("--parallelism.data_parallel_shard_degree", sharded ? layout.replicas : 1)
      .add("--parallelism.data_parallel_replicate_degree", sharded ? 1 : layout.replicas);
  if (layout.ranks > 1)
    flags.add("--parallelism.pipeline_parallel_schedule", schedule)
        .add("--parallelism.pipeline_parallel_microbatch_size", layout.microbatch)
        .add("--parallelism.pipeline_parallel_first_stage_less_layers", 0)
        .add("--parallelism.pipeline_parallel_last_stage_less_layers", 0);
  const std::uint32_t local = layout.ranks > 1 ? layout.microbatches * layout.microbatch : layout.microbatch;
  flags.add("--training.local_batch_size", local)
      .add("--training.global_batch_size", job.batch)
      .add("--training.seq_len", sequence_tokens(job))
      .add("--activation_checkpoint.mode", some                                  ? "selective"
                                           : layout.recompute == Recompute::Full ? "full"
                                                                                 : "none");
  if (some) flags.add("--activation_checkpoint.selective_ac_option", "op");
  return {name, std::move(flags).text()};
}

}  // namespace

std::vector<LaunchFlags> launch_flags(const PlanJob& job, const PlanLayout& layout,
                                      std::span<const std::uint32_t> stage_layers) {
  const std::vector<StageParts> stages = megatron_stages(job, stage_layers);
  const bool even = is_even(stages);
  return {megatron(job, layout, stages), mindspeed(job, layout, even), torchtitan(job, layout, even)};
}

}  // namespace spillway
