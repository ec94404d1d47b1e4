// Test: tests/launch/write_job_test.cpp.
#include "launch/write/job.h"

#include <algorithm>

#include "base/text.h"
#include "json/word_of.h"
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

  std::variant<LaunchJob, LaunchReasons> run() {
    if (!on_platform(experiment_.costs)) return LaunchReasons{kDurations};
    job_.parallel = job_.costs().parallelism;
    if (job_.parallel.states.newton_schulz_steps > 0) cannot("launches are written with Adam, not with Muon");
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
    // A frozen tower before the model keeps nothing for a backward.
    if (!blocks.front().trainable && costs.front().adapters.rank == 0) job_.tower->costs.recompute = {};
  }

  static std::string names(const std::vector<Block>& blocks) {
    std::vector<std::string> all;
    for (const Block& block : blocks) all.push_back(block.name);
    return joined(all);
  }

  void read_workload() {
    const WorkloadSpec& workload = std::get<AnalyticExperiment>(experiment_.costs).workload;
    if (job_.tower && workload.packing == Packing::Packed) {
      job_.sequence_tokens = workload.sequence_tokens;
      return;
    }
    if (job_.tower) {
      job_.microbatch_size = workload.samples_per_microbatch;
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
  LaunchReasons lacks_ = {};
};

}  // namespace

std::variant<LaunchJob, LaunchReasons> launch_job(const Experiment& experiment,
                                                  const ScheduleSpec& schedule) {
  return JobReader(experiment, schedule).run();
}

std::vector<std::string> module_words(Modules modules) {
  std::vector<std::string> words;
  for (const auto& [word, module] : kModules)
    if (modules.meets(module)) words.emplace_back(word);
  return words;
}

std::string recompute_words(const Recomputation& recompute) {
  if (!recompute.any()) return "none";
  const bool parts = recompute.what == Recompute::None;
  std::vector<std::string> words = module_words(recompute.modules);
  if (!parts) words.emplace(words.begin(), word_of(kRecomputes, recompute.what));
  const bool selective = parts && recompute.modules == Modules(Module::CoreAttention);
  std::string text = selective ? "selective" : joined(words, " ");
  if (recompute.first) text += ", first " + std::to_string(*recompute.first);
  if (recompute.every > 1) text += ", every " + std::to_string(recompute.every);
  if (recompute.together > 1) text += ", together " + std::to_string(recompute.together);
  return text;
}

TextModel published_network(const LaunchJob& job) {
  TextModel network = job.model;
  network.num_nextn_predict_layers = 0;
  network.fused_attention = true;
  return network;
}

bool is_on_first_stage(const LaunchTower& tower) {
  return tower.layers.front() > 0 && std::all_of(tower.layers.begin() + 1, tower.layers.end(),
                                                 [](std::uint32_t layers) { return layers == 0; });
}

bool has_usual_ends(const std::vector<StageParts>& stages) {
  return std::ranges::all_of(stages, [&](const StageParts& stage) {
    return stage.embedding == (&stage == &stages.front() ? 1u : 0u) &&
           (stage.prediction == 0 || &stage == &stages.back()) &&
           stage.loss == (&stage == &stages.back() ? 1u : 0u);
  });
}

bool is_even(const std::vector<StageParts>& stages) {
  return has_usual_ends(stages) && std::ranges::all_of(stages, [&](const StageParts& stage) {
           return stage.decoder == stages.front().decoder;
         });
}

}  // namespace spillway
