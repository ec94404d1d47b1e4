// Test: tests/launch/software_test.cpp.
#include "launch/software/software.h"

#include <algorithm>
#include <variant>

#include "input/platform/framework_reader.h"
#include "json/shipped_files.h"

namespace spillway {
namespace {

using enum DeviceMaker;
using enum TrainedBackbone;

template <class Enum, class... More>
constexpr EnumSet<Enum> all_of(Enum first, More... more) {
  EnumSet<Enum> set = first;
  ((set |= more), ...);
  return set;
}

constexpr EnumSet<DeviceMaker> kGpus = all_of(Nvidia, Amd);
constexpr EnumSet<TrainedBackbone> kBoth = all_of(Dense, Mixture);

// A tower of Hugging Face before a Megatron model encodes every image on every device (NVIDIA-NeMo/
// Megatron-Bridge, src/megatron/bridge/utils/common_utils.py, hook_hf_module_setattr_for_tp_grad_sync;
// Megatron-SWIFT is built so, too). MindSpeed-MM's towers are Megatron's layers, which tensor parallelism
// splits. Hugging Face's Trainer shards states and nothing else.
std::vector<ShippedSoftware> all_software() {
  constexpr auto kRepeated = EncoderImages::Repeated, kSplit = EncoderImages::Split;
  return {
      {"megatron-overlapped", "Megatron-LM, overlapped", kGpus, kBoth},
      {"megatron-eager", "Megatron-LM, eager", kGpus, kBoth},
      {"megatron-moe", "Megatron-LM, mixtures of experts", kGpus, Mixture},
      {"megatron", "Megatron-LM", kGpus, kBoth, {}, true, "megatron-eager states its host, too"},
      {"megatron-fp16", "Megatron-LM in FP16", kGpus, Dense, {}, true, "it trains in FP16"},
      {"megatron-bridge", "Megatron-Bridge", Nvidia, kBoth},
      {"megatron-bridge-graphs", "Megatron-Bridge, graphs", Nvidia, kBoth},
      {"megatron-bridge-eager",
       "Megatron-Bridge, eager",
       Nvidia,
       kBoth,
       {},
       true,
       "its kernels are those of sequences packed from Tulu 3"},
      {"megatron-bridge-vl-eager", "Megatron-Bridge, images, eager", Nvidia, kBoth, kRepeated},
      {"megatron-bridge-vl-graphs", "Megatron-Bridge, images, graphs", Nvidia, kBoth, kRepeated},
      {"megatron-bridge-vl-deterministic", "Megatron-Bridge, images, deterministic", Nvidia, kBoth, kRepeated,
       true, "deterministic kernels are for tests"},
      {"megatron-swift-vl", "Megatron-SWIFT, images", Nvidia, kBoth, kRepeated},
      {"nemo", "NeMo", Nvidia, kBoth},
      {"torchtitan-compiled", "torchtitan, compiled", kGpus, kBoth},
      {"torchtitan-eager", "torchtitan, eager", kGpus, kBoth},
      {"automodel", "NeMo AutoModel", Nvidia, kBoth},
      {"hf-fsdp2", "Hugging Face, FSDP2", kGpus, Dense, {}, false},
      {"hf-deepspeed", "Hugging Face, DeepSpeed", kGpus, Dense, {}, false},
      {"deepspeed", "DeepSpeed", kGpus, Dense, {}, false, "hf-deepspeed states its host, too"},
      {"nanotron", "nanotron", Nvidia, Dense},
      {"internevo", "InternEvo", Nvidia, Dense},
      {"llm-foundry", "llm-foundry", Nvidia, Dense, {}, false, "it trains MPT"},
      {"deepseek-dualpipe",
       "DeepSeek's DualPipe",
       Nvidia,
       kBoth,
       {},
       true,
       "it states the overlap of two passes alone"},
      {"mindspeed", "MindSpeed, eager", Ascend, kBoth},
      {"mindspeed-mm", "MindSpeed-MM, Qwen2-VL", Ascend, kBoth, kSplit},
      {"mindspeed-mm-internvl", "MindSpeed-MM, InternVL", Ascend, kBoth, kSplit},
      {"mindspeed-mm-fsdp2", "MindSpeed-MM, FSDP2", Ascend, kBoth, {}, false},
  };
}

DeviceMaker maker_of(const Platform& platform) {
  if (platform.library == CollectiveLibrary::Hccl) return Ascend;
  return platform.accelerator.name.starts_with("AMD") ? Amd : Nvidia;
}

// What a job trains; nothing if it is neither a language model nor one behind an encoder of images.
struct TrainedModel {
  TrainedBackbone backbone;
  bool has_encoder = false;
  std::string family = {};  // of a model with an encoder
};

std::optional<TrainedModel> trained_model(const Experiment& experiment) {
  const AnalyticCosts* costs = on_platform(experiment.costs);
  if (!costs || costs->blocks.size() > 2) return std::nullopt;
  const auto* text = std::get_if<TextModel>(&costs->blocks.back().architecture);
  if (!text || experiment.model.blocks().back().role != Role::Backbone) return std::nullopt;
  const TrainedBackbone backbone = text->experts ? Mixture : Dense;
  if (costs->blocks.size() == 1) return TrainedModel{backbone};
  const BlockCosts& encoder = costs->blocks.front();
  if (!std::holds_alternative<VisionTower>(encoder.architecture)) return std::nullopt;
  return TrainedModel{backbone, true, encoder.family};
}

std::string lacking(const Framework& framework, const TrainedModel& model) {
  if (!framework.models) return "";
  const TrainedModels& models = *framework.models;
  if (!model.has_encoder) return models.text ? "" : "it trains models with images alone";
  if (!models.trains_images()) return "it trains no models with images";
  return models.trains_images_of(model.family) ? "" : "it has no " + model.family;
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

std::string lacking_model(const Framework& framework, const Experiment& experiment) {
  const auto model = trained_model(experiment);
  return model ? lacking(framework, *model) : "";
}

OfferedSoftware offered_software(const Experiment& experiment) {
  const auto model = trained_model(experiment);
  OfferedSoftware offered;
  if (!model) return offered;
  for (const ShippedSoftware& one : shipped_software()) {
    if (!one.not_offered.empty() || !runs_on(one, on_platform(experiment.costs)->platform) ||
        !one.backbones.meets(model->backbone))
      continue;
    const Framework framework =
        read_framework(shipped_or(std::string(one.shipped), "framework"), {}, Files());
    (lacking(framework, *model).empty() ? offered.trains : offered.lacks).push_back(&one);
  }
  return offered;
}

}  // namespace spillway
