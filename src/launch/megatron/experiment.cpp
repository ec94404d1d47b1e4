// Test: tests/launch/megatron_scripts_test.cpp.
#include "launch/megatron/experiment.h"

#include <utility>

#include "base/text.h"
#include "launch/command/images.h"
#include "launch/command/json_members.h"

namespace spillway {
namespace {

std::string skeletons(const MegatronLayout& layout) {
  if (layout.dualpipev) return "dualpipev";
  const std::string one = layout.overlaps_experts ? "1f1b-overlap" : "1f1b";
  std::string text = one;
  for (std::uint32_t chunk = 1; chunk < layout.chunks; ++chunk) text += ',' + one;
  return text;
}

// The shipped framework that runs as the arguments say.
std::string megatron_framework(const MegatronTraining& training, MegatronFlavour flavour, bool has_experts) {
  if (flavour == MegatronFlavour::MindSpeed) return "mindspeed";
  if (flavour == MegatronFlavour::Bridge)
    return training.captures_graphs ? "megatron-bridge-graphs" : "megatron-bridge";
  if (training.fp16) return "megatron-fp16";
  if (flavour == MegatronFlavour::Nemo && training.overlaps_gradients && training.overlaps_parameters)
    return "nemo";
  if (!training.overlaps_gradients || !training.overlaps_parameters) return "megatron";
  return has_experts ? "megatron-moe" : "megatron-overlapped";
}

std::string framework_of_images(const MegatronEncoder& encoder, const MegatronTraining& training,
                                MegatronFlavour flavour) {
  if (!encoder.framework.empty()) return encoder.framework;
  if (flavour == MegatronFlavour::Swift) return "megatron-swift-vl";
  if (flavour != MegatronFlavour::Bridge) return "mindspeed-mm";
  return training.captures_graphs ? "megatron-bridge-vl-graphs" : "megatron-bridge-vl-eager";
}

LaunchBlock encoder_block(const MegatronModel& model) {
  LaunchBlock block;
  block.architecture = model.architecture;
  add_member(block.keys, "trainable", model.encoder->trainable);
  if (model.encoder->recomputed) add_member(block.keys, "recompute", "full");
  return block;
}

// Of each stage.
std::vector<std::uint32_t> encoder_layers(const MegatronModel& model, const MegatronLayout& layout) {
  if (!model.encoder) return {};
  std::vector<std::uint32_t> layers = model.encoder->layers;
  if (layers.empty() && layout.stages.size() > 1) {
    layers.assign(layout.stages.size(), 0);
    layers.front() = model.encoder->depth;
  }
  return layers;
}

// Frameworks reduce in FP32 unless the script says otherwise. Megatron-Bridge's file says BF16, as its
// benchmarks do; other recipes of it reduce in FP32.
Object stated_reduction(const MegatronTraining& training, MegatronFlavour flavour) {
  const bool bridge = flavour == MegatronFlavour::Bridge;
  if (!training.reduces_in_bf16 && !bridge) return {};
  Object bytes, changes;
  add_member(bytes, "value", training.reduces_in_bf16 ? 2 : 4);
  add_member(bytes, "kind", "derived");
  add_member(bytes, "source",
             bridge ? "the recipe's grad_reduce_in_fp32" : "the script's --grad-reduce-in-bf16");
  add_member(changes, "/gradient_buffer_bytes", Node{bytes});
  add_member(changes, "/gradient_bytes", Node{std::move(bytes)});
  return changes;
}

// megatron-moe.json prices the loss of several kernels; Transformer Engine's is the one that others have.
Object stated_loss(const MegatronTraining& training, std::string_view framework) {
  if (!training.fuses_loss || framework != "megatron-moe") return {};
  Object changes;
  add_loss_of_one_kernel(changes, "the script's --cross-entropy-fusion-impl te: one kernel");
  return changes;
}

// Megatron-SWIFT and examples/multimodal pack samples into sequences; MindSpeed-MM and Megatron-Bridge take
// each by itself.
ImageSamples samples_of(const MegatronLayout& layout, MegatronFlavour flavour, const MegatronEncoder& encoder,
                        Arguments& arguments) {
  const bool swift = flavour == MegatronFlavour::Swift && layout.packs;
  if (!swift && !encoder.packed_tokens) return {layout.microbatch_size};
  if (layout.microbatch_size > 1)
    arguments.refuse("--micro-batch-size",
                     swift ? "1, where --packing packs images and texts into sequences"
                           : "1, where images and texts are packed into sequences",
                     std::to_string(layout.microbatch_size));
  return {1, swift ? layout.sequence_tokens : *encoder.packed_tokens};
}

// The longest sequence acts on samples that fill it.
std::string assumed_of_samples(std::uint32_t images, const ImageSamples& samples, Arguments& arguments) {
  const std::string said = "every sample has " + counted(images, "image");
  if (samples.packed_tokens) return said;
  arguments.changes_nothing("--seq-length");
  arguments.changes_nothing("--max-length");
  return said + ", and no sample is cut to the longest sequence";
}

std::string framework_name(MegatronFlavour flavour, const std::optional<MegatronEncoder>& encoder) {
  const bool mm = encoder && encoder->framework.starts_with("mindspeed-mm");
  return mm ? "MindSpeed-MM" : std::string(name_of(flavour));
}

Object padding_of(MegatronFlavour flavour) {
  Object pads;
  add_member(pads, "value", "microbatch");
  add_member(pads, "kind", "derived");
  add_member(pads, "source",
             flavour == MegatronFlavour::Swift
                 ? "the script's --padding_free false"
                 : "NVIDIA/Megatron-LM @d98e8a64dd, examples/multimodal/dataset_helpers.py, batch");
  return pads;
}

}  // namespace

LaunchExperiment megatron_experiment(const MegatronLayout& layout, const MegatronModel& model,
                                     const MegatronTraining& training, MegatronFlavour flavour) {
  LaunchExperiment experiment;
  experiment.pipeline = {layout.pipeline,
                         skeletons(layout),
                         layout.dualpipev,
                         layout.stages,
                         encoder_layers(model, layout),
                         layout.separate_vocabulary,
                         layout.microbatch_group,
                         layout.blocks_transfers};
  experiment.microbatches = layout.microbatches;
  experiment.replicas = layout.replicas;
  experiment.framework = megatron_framework(training, flavour, model.has_experts);
  experiment.framework_set = stated_reduction(training, flavour);
  for (Member& change : stated_loss(training, experiment.framework))
    experiment.framework_set.push_back(std::move(change));
  experiment.parallel = training.parallel;
  LaunchBlock& block = experiment.backbone;
  block.architecture = model.architecture;
  if (layout.separate_vocabulary) add_member(block.keys, "separate_vocabulary", true);
  if (model.layers.prediction > 0) add_member(block.keys, "multi_token_prediction", true);
  block.keys.insert(block.keys.end(), training.block.begin(), training.block.end());
  experiment.config = model.config;
  if (!model.trains_backbone) add_member(block.keys, "trainable", false);
  if (model.encoder) {
    if (!model.encoder->split)
      experiment.framework = framework_of_images(*model.encoder, training, flavour);
    else if (layout.tensor > 1)
      add_member(experiment.parallel, "images", "split");
    for (const Member& change : model.framework_set) experiment.framework_set.push_back(change);
    experiment.encoder = encoder_block(model);
    if (model.encoder->pads) add_member(experiment.framework_set, "/pads_to", Node{padding_of(flavour)});
    return experiment;
  }
  add_member(experiment.workload, "sequence_tokens", layout.sequence_tokens);
  add_member(experiment.workload, "sequences_per_microbatch", layout.microbatch_size);
  return experiment;
}

LaunchReading read_megatron(Arguments& arguments, MegatronFlavour flavour,
                            std::optional<std::uint32_t> devices, const LaunchOptions& options) {
  const MegatronModel model = read_model(arguments, flavour, options);
  const MegatronLayout layout = read_layout(arguments, flavour, devices, model.layers, model.has_experts);
  const MegatronTraining training = read_training(arguments, flavour, layout, model.has_experts);
  LaunchReading reading{framework_name(flavour, model.encoder),
                        megatron_experiment(layout, model, training, flavour), model.assumptions};
  if (!layout.packs && !model.encoder)
    reading.assumptions.push_back(
        "every sequence has --max-length tokens, since samples are not packed (--packing)");
  if (model.encoder) {
    // models/qwen_vl/qwen3_vl_step.py, force_to_pad_to_seq_len
    if (flavour == MegatronFlavour::Bridge && arguments.whole("--expert-model-parallel-size").value_or(1) > 1)
      reading.assumptions.push_back(
          "samples are not filled to dataset.seq_length, as Megatron-Bridge fills Qwen3-VL's with expert "
          "parallelism: --text-tokens can state the filled length");
    const ImageSamples samples = samples_of(layout, flavour, *model.encoder, arguments);
    reading.experiment.workload = image_workload(options, model.encoder->rule, samples, arguments.findings());
    reading.assumptions.push_back(assumed_of_samples(options.images_per_sample, samples, arguments));
  }
  reading.assumptions.insert(reading.assumptions.end(), training.assumptions.begin(),
                             training.assumptions.end());
  return reading;
}

}  // namespace spillway
