// The part of an experiment that a launch states: one language model, perhaps behind a vision tower, on a
// pipeline that every framework could have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "experiment/experiment.h"
#include "launch/command/stages.h"
#include "launch/write/answer.h"

namespace spillway {

struct LaunchTower {
  VisionTower tower;
  bool trainable = true;
  BlockCosts costs;
  std::vector<std::uint32_t> layers = {};  // of each stage
};

// Contract: `experiment` outlives it.
struct LaunchJob {
  std::uint32_t ranks() const { return experiment->pipeline.ranks; }
  std::uint32_t replicas() const { return experiment->pipeline.replicas; }
  std::uint32_t microbatches() const { return experiment->pipeline.microbatches; }
  std::uint32_t members() const { return parallel.members(); }
  std::uint32_t devices() const { return ranks() * replicas() * members(); }
  std::uint32_t batch() const { return microbatches() * replicas() * microbatch_size; }
  bool has_experts() const { return model.experts.has_value(); }
  const AnalyticCosts& costs() const { return *on_platform(experiment->costs); }
  const Framework& framework() const { return costs().framework; }

  const Experiment* experiment;
  std::string schedule;  // as users write it
  SkeletonKind kind = SkeletonKind::OneFOneB;
  std::uint32_t chunks = 1;             // regions of the pipeline; 1 on a single rank
  std::uint32_t microbatch_group = 0;   // of interleaved 1F1B; 0: not interleaved
  std::vector<StageParts> stages = {};  // in the model's order
  TextModel model = {};                 // without separate_vocabulary, which only stages need
  BlockCosts backbone = {};
  bool trainable = true;  // the language model
  std::optional<LaunchTower> tower = {};
  Parallelism parallel = {};
  std::uint32_t microbatch_size = 1;  // sequences, or samples of a model with a tower
  std::uint32_t sequence_tokens = 0;  // 0: samples with images, each by itself

  // Samples with images fill sequences of sequence_tokens.
  bool packs_images() const { return tower.has_value() && sequence_tokens > 0; }
};

// Returns the reasons if no launch states the experiment under this schedule. Contract: the stages of the
// schedule are planned (with_planned_stages).
std::variant<LaunchJob, LaunchReasons> launch_job(const Experiment& experiment, const ScheduleSpec& schedule);

std::vector<std::string> module_words(Modules modules);  // "core_attn", "mlp"

// "none", "full", "selective", "core_attn mlp", "full, first 8".
std::string recompute_words(const Recomputation& recompute);

// Returns the model as its publisher has it: without predictions, and with a fused kernel of attention.
TextModel published_network(const LaunchJob& job);

// True if the first stage has all layers of the tower.
bool is_on_first_stage(const LaunchTower& tower);

// True if the first stage alone has the embedding, and the last alone predictions and head.
bool has_usual_ends(const std::vector<StageParts>& stages);
// True if, in addition, all stages have equally many decoder layers.
bool is_even(const std::vector<StageParts>& stages);

}  // namespace spillway
