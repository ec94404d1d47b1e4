// Test: tests/launch/software_test.cpp.
#include "launch/write/software.h"

#include <algorithm>
#include <variant>

namespace spillway {
namespace {

using enum DeviceMaker;
using enum TrainedBackbone;
using enum TrainedEncoder;

template <class Enum, class... More>
constexpr EnumSet<Enum> all_of(Enum first, More... more) {
  EnumSet<Enum> set = first;
  ((set |= more), ...);
  return set;
}

constexpr EnumSet<DeviceMaker> kGpus = all_of(Nvidia, Amd);
constexpr EnumSet<TrainedBackbone> kBoth = all_of(Dense, Experts);
constexpr EnumSet<TrainedEncoder> kAnyImages = all_of(None, WholeImages, Tiles);

// A tower of Hugging Face before a Megatron model encodes every image on every device (NVIDIA-NeMo/
// Megatron-Bridge, src/megatron/bridge/utils/common_utils.py, hook_hf_module_setattr_for_tp_grad_sync;
// Megatron-SWIFT is built so, too). MindSpeed-MM's towers are Megatron's layers, which tensor parallelism
// splits. Hugging Face's Trainer shards states and nothing else.
std::vector<ShippedSoftware> all_software() {
  constexpr auto kRepeated = EncoderImages::Repeated, kSplit = EncoderImages::Split;
  return {
      {"megatron-overlapped", "Megatron-LM, overlapped", kGpus, kBoth, None},
      {"megatron-eager", "Megatron-LM, eager", kGpus, kBoth, all_of(None, WholeImages), kRepeated},
      {"megatron-moe", "Megatron-LM, mixtures of experts", kGpus, Experts, None},
      {"megatron", "Megatron-LM", kGpus, kBoth, None, {}, true, "megatron-eager states its host, too"},
      {"megatron-fp16", "Megatron-LM in FP16", kGpus, Dense, None, {}, true, "it trains in FP16"},
      {"megatron-bridge", "Megatron-Bridge", Nvidia, kBoth, None},
      {"megatron-bridge-graphs", "Megatron-Bridge, graphs", Nvidia, kBoth, None},
      {"megatron-bridge-eager",
       "Megatron-Bridge, eager",
       Nvidia,
       kBoth,
       None,
       {},
       true,
       "its kernels are those of sequences packed from Tulu 3"},
      {"megatron-bridge-vl-eager", "Megatron-Bridge, images, eager", Nvidia, kBoth, WholeImages, kRepeated},
      {"megatron-bridge-vl-graphs", "Megatron-Bridge, images, graphs", Nvidia, kBoth, WholeImages, kRepeated},
      {"megatron-bridge-vl-deterministic", "Megatron-Bridge, images, deterministic", Nvidia, kBoth,
       WholeImages, kRepeated, true, "deterministic kernels are for tests"},
      {"nemo", "NeMo", Nvidia, kBoth, None},
      {"torchtitan-compiled", "torchtitan, compiled", kGpus, kBoth, None},
      {"torchtitan-eager", "torchtitan, eager", kGpus, kBoth, None},
      {"automodel", "NeMo AutoModel", Nvidia, kBoth, None},
      {"hf-fsdp2", "Hugging Face, FSDP2", kGpus, Dense, kAnyImages, {}, false},
      {"hf-deepspeed", "Hugging Face, DeepSpeed", kGpus, Dense, kAnyImages, {}, false},
      {"deepspeed", "DeepSpeed", kGpus, Dense, kAnyImages, {}, false, "hf-deepspeed states its host, too"},
      {"nanotron", "nanotron", Nvidia, Dense, None},
      {"internevo", "InternEvo", Nvidia, Dense, None},
      {"llm-foundry", "llm-foundry", Nvidia, Dense, None, {}, false, "it trains MPT"},
      {"deepseek-dualpipe",
       "DeepSeek's DualPipe",
       Nvidia,
       kBoth,
       None,
       {},
       true,
       "it states the overlap of two passes alone"},
      {"mindspeed", "MindSpeed, eager", Ascend, kBoth, None},
      {"mindspeed-mm", "MindSpeed-MM, Qwen2-VL", Ascend, kBoth, WholeImages, kSplit},
      {"mindspeed-mm-internvl", "MindSpeed-MM, InternVL", Ascend, kBoth, Tiles, kSplit},
      {"mindspeed-mm-fsdp2", "MindSpeed-MM, FSDP2", Ascend, kBoth, WholeImages, {}, false},
  };
}

DeviceMaker maker_of(const Platform& platform) {
  if (platform.library == CollectiveLibrary::Hccl) return Ascend;
  return platform.accelerator.name.starts_with("AMD") ? Amd : Nvidia;
}

// What a job trains; nothing if it is neither a language model nor one behind an encoder of images.
struct TrainedModel {
  TrainedBackbone backbone;
  TrainedEncoder encoder;
};

// Qwen's towers have rotary embeddings, for images of any size. Towers of tiles have a row of weights for
// each position of a tile.
TrainedEncoder encoder_of(const VisionTower& tower) {
  return tower.rotary ? WholeImages : Tiles;
}

std::optional<TrainedModel> trained_model(const Experiment& experiment) {
  const AnalyticCosts* costs = on_platform(experiment.costs);
  if (!costs || costs->blocks.size() > 2) return std::nullopt;
  const auto* text = std::get_if<TextModel>(&costs->blocks.back().architecture);
  if (!text || experiment.model.blocks().back().role != Role::Backbone) return std::nullopt;
  const TrainedBackbone backbone = text->experts ? Experts : Dense;
  if (costs->blocks.size() == 1) return TrainedModel{backbone, None};
  const auto* tower = std::get_if<VisionTower>(&costs->blocks.front().architecture);
  return tower ? std::optional(TrainedModel{backbone, encoder_of(*tower)}) : std::nullopt;
}

}  // namespace

const std::vector<ShippedSoftware>& shipped_software() {
  static const std::vector<ShippedSoftware> kAll = all_software();
  return kAll;
}

const ShippedSoftware* software_named(std::string_view framework) {
  const auto found = std::ranges::find(shipped_software(), framework, &ShippedSoftware::name);
  return found == shipped_software().end() ? nullptr : &*found;
}

bool runs_on(const ShippedSoftware& software, const Platform& platform) {
  return software.runs_on.meets(maker_of(platform));
}

std::vector<const ShippedSoftware*> offered_software(const Experiment& experiment) {
  const auto model = trained_model(experiment);
  std::vector<const ShippedSoftware*> offered;
  if (!model) return offered;
  for (const ShippedSoftware& one : shipped_software())
    if (one.not_offered.empty() && runs_on(one, on_platform(experiment.costs)->platform) &&
        one.backbones.meets(model->backbone) && one.encoders.meets(model->encoder))
      offered.push_back(&one);
  return offered;
}

}  // namespace spillway
