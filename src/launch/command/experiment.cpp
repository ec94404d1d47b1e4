// Test: tests/launch/megatron_scripts_test.cpp.
#include "launch/command/experiment.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/files.h"
#include "experiment/encoder_images.h"
#include "json/word_of.h"
#include "launch/command/json_members.h"
#include "launch/software/software.h"

namespace spillway {
namespace {

Object schedule_of(const LaunchPipeline& pipeline, bool has_encoder) {
  Object schedule;
  add_member(schedule, "name", "script");
  add_member(schedule, "schedule", pipeline.skeletons);
  const bool splits_encoder = pipeline.encoder_layers.size() == pipeline.stages.size();
  if (pipeline.stages.size() < 2 || (has_encoder && !splits_encoder)) return schedule;
  std::vector<std::uint32_t> layers, cut;
  std::uint32_t before = 0;
  for (const StageParts& stage : pipeline.stages) {
    const std::uint32_t vocabulary = pipeline.separate_vocabulary ? stage.embedding + stage.loss : 0;
    const std::uint32_t encoder = has_encoder ? pipeline.encoder_layers[layers.size()] : 0;
    // All predictions are one layer of ours.
    const std::uint32_t prediction = stage.prediction > 0 ? 1 : 0;
    layers.push_back(encoder + stage.decoder + prediction + vocabulary);
    before += layers.back();
    if (!pipeline.reflected && layers.size() % pipeline.ranks == 0 && layers.size() < pipeline.stages.size())
      cut.push_back(before);
  }
  if (!cut.empty()) add_member(schedule, "cut", list_node(cut));
  add_member(schedule, "layers_per_rank", list_node(layers));
  if (pipeline.microbatch_group && pipeline.stages.size() > pipeline.ranks)
    add_member(schedule, "microbatch_group", *pipeline.microbatch_group);
  return schedule;
}

Node block_node(std::string_view name, std::string_view role, const LaunchBlock& block,
                const std::string& config) {
  Object object;
  add_member(object, "name", name);
  add_member(object, "role", role);
  add_member(object, "architecture", block.architecture.empty() ? config : block.architecture);
  object.insert(object.end(), block.keys.begin(), block.keys.end());
  return {std::move(object)};
}

bool has_several_devices(const Object& parallel) {
  return std::ranges::any_of(std::array{"tensor", "context"}, [&](const char* key) {
    const Node* size = find(parallel, key);
    return size && describe(*size) != "1";
  });
}

// The parallelism, and how the framework shares images among the devices of a rank. Scripts do not state it.
Object parallel_of(const LaunchExperiment& parts, const std::string& framework) {
  Object parallel = parts.parallel;
  const auto software = std::ranges::find(shipped_software(), framework, &ShippedSoftware::shipped);
  if (parts.encoder && software != shipped_software().end() && software->images &&
      has_several_devices(parallel))
    add_member(parallel, "images", word_of(kEncoderImages, *software->images));
  return parallel;
}

}  // namespace

void add_loss_of_one_kernel(Object& framework_set, const std::string& source) {
  add_member(framework_set, "/fused_loss", true);
  for (const char* part : {"traffic", "gradient_traffic", "forward_kernels", "input_gradient_kernels"}) {
    Object one;
    add_member(one, "value", 1);
    add_member(one, "kind", "derived");
    add_member(one, "source", source);
    add_member(framework_set, std::string("/operators/loss/") + part, Node{std::move(one)});
  }
}

std::string from_anywhere(const std::string& name) {
  return name.find('/') == std::string::npos && !is_there(name) ? name : absolute_path(name).string();
}

Object experiment_of(const std::string& name, const LaunchExperiment& parts, const LaunchOptions& options,
                     const std::string& config, const std::vector<std::string>& assumptions) {
  Object pipeline, blocks, experiment;
  add_member(pipeline, "ranks", parts.pipeline.ranks);
  add_member(pipeline, "microbatches", parts.microbatches);
  add_member(pipeline, "replicas", parts.replicas);
  List list;
  if (parts.encoder) list.push_back(block_node("enc", "encoder", *parts.encoder, config));
  list.push_back(block_node("llm", "backbone", parts.backbone, config));
  add_member(blocks, "blocks", Node{std::move(list)});

  add_member(experiment, "schema", "spillway/experiment/1");
  add_member(experiment, "name", name);
  add_member(experiment, "assumptions", list_node(assumptions));
  add_member(experiment, "pipeline", Node{std::move(pipeline)});
  add_member(experiment, "platform", from_anywhere(options.platform));
  const std::string framework =
      options.framework.empty() ? parts.framework : from_anywhere(options.framework);
  add_member(experiment, "framework", framework);
  if (!parts.framework_set.empty()) add_member(experiment, "framework_set", Node{parts.framework_set});
  add_member(experiment, "parallel", Node{parallel_of(parts, framework)});
  add_member(experiment, "model", Node{std::move(blocks)});
  add_member(experiment, "workload", Node{parts.workload});
  if (parts.pipeline.ranks > 1) {
    Object network;
    add_member(network, "p2p", parts.pipeline.blocks_transfers ? "blocking" : "overlapped");
    add_member(experiment, "network", Node{std::move(network)});
  }
  add_member(experiment, "schedules",
             Node{List{Node{schedule_of(parts.pipeline, parts.encoder.has_value())}}});
  return experiment;
}

}  // namespace spillway
