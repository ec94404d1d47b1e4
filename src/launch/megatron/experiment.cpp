// Test: tests/launch/megatron_scripts_test.cpp.
#include "launch/megatron/experiment.h"

#include <utility>

#include "base/files.h"
#include "launch/command/json_members.h"

namespace spillway {
namespace {

// A path is found from anywhere, a shipped name stays.
std::string from_anywhere(const std::string& name) {
  return name.find('/') == std::string::npos && !is_there(name) ? name : absolute_path(name).string();
}

std::string skeletons(const MegatronLayout& layout) {
  if (layout.dualpipev) return "dualpipev";
  const std::string one = layout.overlaps_experts ? "1f1b-overlap" : "1f1b";
  std::string text = one;
  for (std::uint32_t chunk = 1; chunk < layout.chunks; ++chunk) text += ',' + one;
  return text;
}

Object schedule_of(const MegatronLayout& layout) {
  Object schedule;
  add_member(schedule, "name", "script");
  add_member(schedule, "schedule", skeletons(layout));
  if (layout.stages.size() < 2) return schedule;
  std::vector<std::uint32_t> layers, cut;
  std::uint32_t before = 0;
  for (const StageParts& stage : layout.stages) {
    const std::uint32_t vocabulary = layout.separate_vocabulary ? stage.embedding + stage.loss : 0;
    layers.push_back(stage.decoder + stage.prediction + vocabulary);
    before += layers.back();
    if (!layout.dualpipev && layers.size() % layout.pipeline == 0 && layers.size() < layout.stages.size())
      cut.push_back(before);
  }
  if (!cut.empty()) add_member(schedule, "cut", list_node(cut));
  add_member(schedule, "layers_per_rank", list_node(layers));
  if (layout.microbatch_group && layout.chunks > 1)
    add_member(schedule, "microbatch_group", *layout.microbatch_group);
  return schedule;
}

Object block_of(const MegatronLayout& layout, const MegatronModel& model, const MegatronTraining& training,
                const std::string& architecture) {
  Object block;
  add_member(block, "name", "llm");
  add_member(block, "role", "backbone");
  add_member(block, "architecture", architecture);
  if (layout.separate_vocabulary) add_member(block, "separate_vocabulary", true);
  if (model.layers.prediction > 0) add_member(block, "multi_token_prediction", true);
  block.insert(block.end(), training.block.begin(), training.block.end());
  return block;
}

Object reduction_in_bf16() {
  Object two, changes;
  add_member(two, "value", 2);
  add_member(two, "kind", "derived");
  add_member(two, "source", "the script's --grad-reduce-in-bf16");
  add_member(changes, "/gradient_buffer_bytes", Node{two});
  add_member(changes, "/gradient_bytes", Node{std::move(two)});
  return changes;
}

}  // namespace

std::string megatron_framework(const MegatronTraining& training, MegatronFlavour flavour, bool has_experts) {
  if (flavour == MegatronFlavour::MindSpeed) return "mindspeed";
  if (training.fp16) return "megatron-fp16";
  if (!training.overlaps_gradients || !training.overlaps_parameters) return "megatron";
  return has_experts ? "megatron-moe" : "megatron-overlapped";
}

Object megatron_experiment(const std::string& name, const MegatronLayout& layout, const MegatronModel& model,
                           const MegatronTraining& training, MegatronFlavour flavour,
                           const LaunchOptions& options, const std::string& architecture,
                           const std::vector<std::string>& assumptions) {
  Object pipeline, blocks, workload, experiment;
  add_member(pipeline, "ranks", layout.pipeline);
  add_member(pipeline, "microbatches", layout.microbatches);
  add_member(pipeline, "replicas", layout.replicas);
  add_member(blocks, "blocks", Node{List{Node{block_of(layout, model, training, architecture)}}});
  add_member(workload, "sequence_tokens", layout.sequence_tokens);
  add_member(workload, "sequences_per_microbatch", layout.microbatch_size);

  add_member(experiment, "schema", "spillway/experiment/1");
  add_member(experiment, "name", name);
  add_member(experiment, "assumptions", list_node(assumptions));
  add_member(experiment, "pipeline", Node{std::move(pipeline)});
  add_member(experiment, "platform", from_anywhere(options.platform));
  const std::string framework = options.framework.empty()
                                    ? megatron_framework(training, flavour, model.has_experts)
                                    : from_anywhere(options.framework);
  add_member(experiment, "framework", framework);
  if (training.reduces_in_bf16) add_member(experiment, "framework_set", Node{reduction_in_bf16()});
  add_member(experiment, "parallel", Node{training.parallel});
  add_member(experiment, "model", Node{std::move(blocks)});
  add_member(experiment, "workload", Node{std::move(workload)});
  if (layout.pipeline > 1) {
    Object network;
    add_member(network, "p2p", layout.blocks_transfers ? "blocking" : "overlapped");
    add_member(experiment, "network", Node{std::move(network)});
  }
  add_member(experiment, "schedules", Node{List{Node{schedule_of(layout)}}});
  return experiment;
}

}  // namespace spillway
