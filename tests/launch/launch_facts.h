// Names and values of all that a launch states of a job. Jobs with equal facts have equal launches.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "json/document.h"
#include "json/word_of.h"
#include "launch/write/job.h"
#include "launch/write/megatron_model.h"
#include "schedule/skeleton.h"

namespace spillway {

using LaunchFacts = std::vector<std::pair<std::string, std::string>>;

inline std::string fact_text(std::uint32_t value) {
  return std::to_string(value);
}
// Every digit of a share counts.
inline std::string fact_text(double value) {
  return compact_json(Node{value});
}

inline std::string precision_words(const Precision& precision) {
  std::string text = "bf16";
  if (precision.fp8) text = "fp8 " + std::string(word_of(kFp8Scalings, *precision.fp8));
  if (precision.fp4) text = "fp4 " + std::string(word_of(kFp4Scalings, *precision.fp4));
  if (precision.primary_weights) text += ", primary weights";
  if (precision.fp8_attention) text += ", attention";
  if (precision.fp8_activation_input) text += ", activation input";
  if (precision.output_projection) text += ", head";
  if (precision.start_in_bf16 + precision.end_in_bf16 > 0)
    text += ", but " + fact_text(precision.start_in_bf16) + " and " + fact_text(precision.end_in_bf16) +
            " layers";
  return text;
}

inline std::string adapter_words(const Adapters& adapters) {
  if (adapters.rank == 0) return "none";
  const std::string targets = names_of(adapters.targets);
  return "rank " + fact_text(adapters.rank) + (targets.empty() ? "" : " of " + targets) +
         (adapters.dropout ? " with dropout" : "");
}

inline std::string state_words(const OptimizerStates& states, const Parallelism& parallel) {
  const auto bytes = [](Bytes each) { return fact_text(static_cast<std::uint32_t>(each.value())); };
  return bytes(states.main_params) + (parallel.main_remainders ? " (remainders) " : " ") +
         bytes(states.exp_avg) + ' ' + bytes(states.exp_avg_sq) + " bytes" +
         (states.offloaded > 0 ? ", on the host " + fact_text(states.offloaded) : "") +
         (parallel.optimizer == OptimizerPlace::Swapped ? ", swapped" : "");
}

inline std::string stage_facts(const LaunchJob& job) {
  std::string text = pipeline_layout_text(job.stages);
  if (!job.tower) return text;
  for (const std::uint32_t layers : job.tower->layers) text += ' ' + fact_text(layers);
  return text;
}

inline void add_model_facts(LaunchFacts& facts, const LaunchJob& job) {
  const TextModel& model = job.model;
  facts.emplace_back("layers", fact_text(model.num_hidden_layers));
  facts.emplace_back("hidden size", fact_text(model.hidden_size));
  facts.emplace_back("padded vocabulary", fact_text(padded_vocabulary(job)));
  facts.emplace_back("predictions", fact_text(model.num_nextn_predict_layers));
  facts.emplace_back("attention kernel", model.fused_attention ? "fused" : "unfused");
}

inline void add_expert_facts(LaunchFacts& facts, const Parallelism& parallel) {
  facts.emplace_back("expert parallel size", fact_text(parallel.expert));
  facts.emplace_back("expert tensor parallel size", fact_text(parallel.expert_tensor));
  constexpr std::array<const char*, 3> kWords{"per expert", "per node", "all-gather"};
  if (parallel.expert_devices() > 1)
    facts.emplace_back("dispatch", kWords[static_cast<std::size_t>(parallel.dispatch)]);
}

// One copy of the parameters has nothing to share.
inline void add_sharding_facts(LaunchFacts& facts, const LaunchJob& job) {
  const Parallelism& parallel = job.parallel;
  const bool copies = job.replicas() * parallel.context > 1;
  facts.emplace_back("data parallelism", copies ? word_of(kDataParallels, parallel.data) : "plain");
  if (!copies || parallel.data != DataParallel::Zero3) return;
  facts.emplace_back("reshard after forward", parallel.reshard_after_forward ? "yes" : "no");
  const std::uint32_t all = job.replicas() * parallel.context;
  facts.emplace_back("shard degree", fact_text(parallel.shard_degree == 0 ? all : parallel.shard_degree));
}

inline void add_parallel_facts(LaunchFacts& facts, const LaunchJob& job) {
  const Parallelism& parallel = job.parallel;
  facts.emplace_back("tensor parallel size", fact_text(parallel.tensor));
  if (parallel.tensor > 1)
    facts.emplace_back("sequence parallelism", parallel.sequence_parallel ? "yes" : "no");
  if (parallel.tensor > 1)
    facts.emplace_back("tensor overlap", parallel.tensor_overlap == TensorOverlap::All ? "all" : "backward");
  facts.emplace_back("context parallel size", fact_text(parallel.context));
  if (parallel.context > 1)
    facts.emplace_back("context by", parallel.context_by == ContextBy::Ring ? "ring" : "ulysses");
  if (job.has_experts()) add_expert_facts(facts, parallel);
  add_sharding_facts(facts, job);
  facts.emplace_back("optimizer states", state_words(parallel.states, parallel));
}

inline LaunchFacts launch_facts(const LaunchJob& job) {
  LaunchFacts facts;
  add_model_facts(facts, job);
  facts.emplace_back("pipeline ranks", fact_text(job.ranks()));
  facts.emplace_back("microbatches", fact_text(job.microbatches()));
  facts.emplace_back("replicas", fact_text(job.replicas()));
  facts.emplace_back("microbatch size", fact_text(job.microbatch_size));
  facts.emplace_back("tokens of a sequence", fact_text(job.sequence_tokens));
  facts.emplace_back("schedule", std::string(traits_of(job.kind).name.value));
  facts.emplace_back("chunks", fact_text(job.chunks));
  facts.emplace_back("microbatch group", fact_text(job.microbatch_group));
  facts.emplace_back("stages", stage_facts(job));
  add_parallel_facts(facts, job);
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
