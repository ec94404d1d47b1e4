// Test: tests/launch/write_job_test.cpp.
#include "launch/write/job.h"

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "base/word_of.h"
#include "schedule/skeleton.h"

namespace spillway {
namespace {

class JobReader {
 public:
  JobReader(const Experiment& experiment, const ScheduleSpec& schedule)
      : experiment_(experiment), schedule_(schedule) {
    job_.experiment = &experiment;
    job_.schedule = to_string(schedule.schedule);
  }

  std::variant<LaunchJob, std::vector<std::string>> run() {
    if (!on_platform(experiment_.costs)) return std::vector<std::string>{kDurations};
    job_.parallel = job_.costs().parallelism;
    read_schedule();
    read_blocks();
    read_workload();
    if (!lacks_.empty()) return lacks_;
    read_stages();
    return std::move(job_);
  }

 private:
  static constexpr const char* kDurations =
      "the experiment gives durations of layers, and no model that a framework could build";

  void cannot(std::string reason) { lacks_.push_back(std::move(reason)); }

  void read_schedule() {
    const Schedule& schedule = schedule_.schedule;
    const Skeleton& first = schedule.skeletons.front();
    if (!schedule_.system.empty() && schedule_.system != "megatron" &&
        schedule_.system != "megatron-balanced")
      return cannot("no framework has the system " + schedule_.system);
    const auto runs = sharded_runs(schedule);
    if (transposes(schedule) || runs.size() != 1 || is_listed(first) || !schedule_.modules.empty() ||
        schedule_.segments.segments() > 0)
      return cannot("no framework has the schedule " + job_.schedule);
    job_.kind = first.kind;
    if (job_.ranks() == 1 && !needs_experts(first)) {
      job_.kind = SkeletonKind::OneFOneB;
      return;
    }
    job_.chunks = job_.ranks() == 1 ? 1 : static_cast<std::uint32_t>(schedule.skeletons.size());
    if (job_.chunks > 1 && traits_of(first).weaving.value == Weaving::InGroups)
      job_.microbatch_group = schedule_.microbatch_group > 0
                                  ? schedule_.microbatch_group
                                  : default_group(job_.ranks(), job_.microbatches());
  }

  void read_blocks() {
    const std::vector<Block>& blocks = experiment_.model.blocks();
    const std::vector<BlockCosts>& costs = job_.costs().blocks;
    const auto* model = std::get_if<TextModel>(&costs.back().architecture);
    if (!model || blocks.back().role != Role::Backbone || blocks.size() > 2)
      return cannot("no framework has a model of these blocks: " + names(blocks));
    job_.model = *model;
    job_.model.separate_vocabulary = false;
    job_.backbone = costs.back();
    job_.trainable = blocks.back().trainable;
    if (blocks.size() == 1) return;
    const auto* tower = std::get_if<VisionTower>(&costs.front().architecture);
    if (!tower) return cannot("no framework has a model of these blocks: " + names(blocks));
    job_.tower = LaunchTower{*tower, blocks.front().trainable, costs.front()};
  }

  static std::string names(const std::vector<Block>& blocks) {
    std::vector<std::string> all;
    for (const Block& block : blocks) all.push_back(block.name);
    return joined(all);
  }

  void read_workload() {
    const WorkloadSpec& workload = std::get<AnalyticExperiment>(experiment_.costs).workload;
    if (job_.tower) {
      job_.microbatch_size = workload.samples_per_microbatch;
      if (workload.packing == Packing::Packed) cannot("images and texts are packed into sequences");
      return;
    }
    job_.microbatch_size = workload.sequences_per_microbatch;
    job_.sequence_tokens = workload.sequence_tokens;
    if (workload.packing != Packing::TextOnly) cannot("samples differ in length");
  }

  // Layers of each stage: those listed, or each region's as even as they can be.
  std::vector<std::uint32_t> stage_layers() const {
    const std::uint32_t all = experiment_.model.layer_count();
    if (job_.ranks() == 1) return {all};
    if (!schedule_.layers_per_rank.empty()) return schedule_.layers_per_rank;
    std::vector<std::uint32_t> layers, ends = schedule_.cut.boundaries;
    ends.push_back(all);
    std::uint32_t begin = 0;
    for (std::size_t region = 0; region < ends.size(); ++region) {
      const auto count =
          static_cast<std::uint32_t>(stage_count(schedule_.schedule.skeletons[region], job_.ranks()));
      for (std::uint32_t i = 0; i < count; ++i) layers.push_back(even_share(ends[region] - begin, count, i));
      begin = ends[region];
    }
    return layers;
  }

  void read_stages() {
    const auto& model = std::get<TextModel>(job_.costs().blocks.back().architecture);
    const std::uint32_t all = experiment_.model.layer_count(), head = model.separate_vocabulary ? 1 : 0,
                        tower = all - layer_count(model);
    std::uint32_t layer = 0;
    for (const std::uint32_t layers : stage_layers()) {
      StageParts& stage = job_.stages.emplace_back();
      std::uint32_t encoder = 0;
      for (const std::uint32_t end = layer + layers; layer < end; ++layer) {
        if (layer < tower) {
          ++encoder;
          continue;
        }
        if (layer == tower) stage.embedding = 1;
        if (layer == all - 1) stage.loss = 1;
        if (model.num_nextn_predict_layers > 0 && layer == all - 1 - head)
          stage.prediction = model.num_nextn_predict_layers;
        else if (head == 0 || (layer > tower && layer < all - 1))
          ++stage.decoder;
      }
      if (job_.tower) job_.tower->layers.push_back(encoder);
    }
  }

  const Experiment& experiment_;
  const ScheduleSpec& schedule_;
  LaunchJob job_ = {};
  std::vector<std::string> lacks_ = {};
};

template <class Value>
std::string text_of(const Value& value) {
  return std::to_string(value);
}

std::string precision_words(const Precision& precision) {
  std::string text = "bf16";
  if (precision.fp8) text = "fp8 " + std::string(word_of(kFp8Scalings, *precision.fp8));
  if (precision.fp4) text = "fp4 " + std::string(word_of(kFp4Scalings, *precision.fp4));
  if (precision.primary_weights) text += ", primary weights";
  if (precision.fp8_attention) text += ", attention";
  if (precision.fp8_activation_input) text += ", activation input";
  if (precision.output_projection) text += ", head";
  if (precision.start_in_bf16 + precision.end_in_bf16 > 0)
    text +=
        ", but " + text_of(precision.start_in_bf16) + " and " + text_of(precision.end_in_bf16) + " layers";
  return text;
}

std::string adapter_words(const Adapters& adapters) {
  if (adapters.rank == 0) return "none";
  const std::string targets = names_of(adapters.targets);
  return "rank " + text_of(adapters.rank) + (targets.empty() ? "" : " of " + targets) +
         (adapters.dropout ? " with dropout" : "");
}

std::string state_words(const OptimizerStates& states, const Parallelism& parallel) {
  const auto bytes = [](Bytes each) { return text_of(static_cast<std::uint32_t>(each.value())); };
  return bytes(states.main_params) + (parallel.main_remainders ? " (remainders) " : " ") +
         bytes(states.exp_avg) + ' ' + bytes(states.exp_avg_sq) + " bytes" +
         (states.offloaded > 0 ? ", on the host " + text_of(states.offloaded) : "") +
         (parallel.optimizer == OptimizerPlace::Swapped ? ", swapped" : "");
}

std::string stages_of(const LaunchJob& job) {
  std::string text = pipeline_layout_text(job.stages);
  if (!job.tower) return text;
  for (const std::uint32_t layers : job.tower->layers) text += ' ' + text_of(layers);
  return text;
}

std::uint32_t padded(std::uint32_t tokens, std::uint32_t tensor) {
  return (tokens + tensor - 1) / tensor * tensor;
}

void add_model(LaunchFacts& facts, const LaunchJob& job) {
  const TextModel& model = job.model;
  facts.emplace_back("layers", text_of(model.num_hidden_layers));
  facts.emplace_back("hidden size", text_of(model.hidden_size));
  facts.emplace_back("parameters", text_of(padded(model.vocab_size, job.parallel.tensor)) + " tokens");
  facts.emplace_back("predictions", text_of(model.num_nextn_predict_layers));
  facts.emplace_back("attention kernel", model.fused_attention ? "fused" : "unfused");
}

void add_expert_facts(LaunchFacts& facts, const Parallelism& parallel) {
  facts.emplace_back("expert parallel size", text_of(parallel.expert));
  facts.emplace_back("expert tensor parallel size", text_of(parallel.expert_tensor));
  constexpr std::array<const char*, 3> kWords{"per expert", "per node", "all-gather"};
  if (parallel.expert_devices() > 1)
    facts.emplace_back("dispatch", kWords[static_cast<std::size_t>(parallel.dispatch)]);
}

// One copy of the parameters has nothing to share.
void add_sharding(LaunchFacts& facts, const LaunchJob& job) {
  const Parallelism& parallel = job.parallel;
  const bool copies = job.replicas() * parallel.context > 1;
  facts.emplace_back("data parallelism", copies ? word_of(kDataParallels, parallel.data) : "plain");
  if (!copies || parallel.data != DataParallel::Zero3) return;
  facts.emplace_back("reshard after forward", parallel.reshard_after_forward ? "yes" : "no");
  const std::uint32_t all = job.replicas() * parallel.context;
  facts.emplace_back("shard degree", text_of(parallel.shard_degree == 0 ? all : parallel.shard_degree));
}

void add_parallel(LaunchFacts& facts, const LaunchJob& job) {
  const Parallelism& parallel = job.parallel;
  facts.emplace_back("tensor parallel size", text_of(parallel.tensor));
  if (parallel.tensor > 1)
    facts.emplace_back("sequence parallelism", parallel.sequence_parallel ? "yes" : "no");
  if (parallel.tensor > 1)
    facts.emplace_back("tensor overlap", parallel.tensor_overlap == TensorOverlap::All ? "all" : "backward");
  facts.emplace_back("context parallel size", text_of(parallel.context));
  if (parallel.context > 1)
    facts.emplace_back("context by", parallel.context_by == ContextBy::Ring ? "ring" : "ulysses");
  if (job.has_experts()) add_expert_facts(facts, parallel);
  add_sharding(facts, job);
  facts.emplace_back("optimizer states", state_words(parallel.states, parallel));
}

}  // namespace

std::variant<LaunchJob, std::vector<std::string>> launch_job(const Experiment& experiment,
                                                             const ScheduleSpec& schedule) {
  return JobReader(experiment, schedule).run();
}

std::string recompute_words(const Recomputation& recompute) {
  const Modules attention = Modules() |= Module::CoreAttention;
  const bool selective = recompute.what == Recompute::None && recompute.modules == attention;
  std::string text(selective ? "selective" : word_of(kRecomputes, recompute.what));
  for (const auto& [word, module] : kModules)
    if (!selective && recompute.modules.meets(module)) text += ' ' + std::string(word);
  if (!recompute.any()) return text;
  if (recompute.first) text += ", first " + text_of(*recompute.first);
  if (recompute.every > 1) text += ", every " + text_of(recompute.every);
  if (recompute.together > 1) text += ", together " + text_of(recompute.together);
  return text;
}

bool is_even(const std::vector<StageParts>& stages) {
  return std::ranges::all_of(stages, [&](const StageParts& stage) {
    return stage.decoder == stages.front().decoder &&
           stage.embedding == (&stage == &stages.front() ? 1u : 0u) &&
           (stage.prediction == 0 || &stage == &stages.back()) &&
           stage.loss == (&stage == &stages.back() ? 1u : 0u);
  });
}

LaunchFacts launch_facts(const LaunchJob& job) {
  LaunchFacts facts;
  add_model(facts, job);
  facts.emplace_back("pipeline ranks", text_of(job.ranks()));
  facts.emplace_back("microbatches", text_of(job.microbatches()));
  facts.emplace_back("replicas", text_of(job.replicas()));
  facts.emplace_back("microbatch size", text_of(job.microbatch_size));
  facts.emplace_back("tokens of a sequence", text_of(job.sequence_tokens));
  facts.emplace_back("schedule", std::string(traits_of(job.kind).name.value));
  facts.emplace_back("chunks", text_of(job.chunks));
  facts.emplace_back("microbatch group", text_of(job.microbatch_group));
  facts.emplace_back("stages", stages_of(job));
  add_parallel(facts, job);
  facts.emplace_back("recomputation", recompute_words(job.backbone.recompute));
  facts.emplace_back("precision", precision_words(job.backbone.precision));
  facts.emplace_back("adapters", adapter_words(job.backbone.adapters));
  facts.emplace_back("trained", job.trainable || job.backbone.adapters.rank > 0 ? "yes" : "no");
  if (!job.tower) return facts;
  facts.emplace_back("tower trained", job.tower->trainable ? "yes" : "no");
  facts.emplace_back("recomputation of the tower", recompute_words(job.tower->costs.recompute));
  return facts;
}

}  // namespace spillway
