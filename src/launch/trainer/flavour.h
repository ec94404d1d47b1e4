// Programs that are built on Hugging Face's Trainer.
#pragma once

#include <string>
#include <string_view>

#include "launch/command/arguments.h"

namespace spillway {

// Plain is TRL, alignment-handbook and the like.
enum class TrainerFlavour { Plain, LlamaFactory, Swift, Llava, InternVl, QwenVl };

constexpr std::string_view name_of(TrainerFlavour flavour) {
  switch (flavour) {
    case TrainerFlavour::LlamaFactory:
      return "LLaMA-Factory";
    case TrainerFlavour::Swift:
      return "ms-swift";
    case TrainerFlavour::Llava:
      return "LLaVA's Trainer";
    case TrainerFlavour::InternVl:
      return "InternVL's Trainer";
    case TrainerFlavour::QwenVl:
      return "Qwen-VL's Trainer";
    default:
      return "Hugging Face Trainer";
  }
}

// By settings that only one of them has.
inline TrainerFlavour flavour_of_trainer(const Arguments& settings, const std::string& program) {
  if (program.starts_with("swift ") || settings.has("tuner_type")) return TrainerFlavour::Swift;
  if (settings.has("finetuning_type") || settings.has("cutoff_len")) return TrainerFlavour::LlamaFactory;
  if (settings.has("vision_tower") || settings.has("tune_mm_mlp_adapter")) return TrainerFlavour::Llava;
  if (settings.has("force_image_size") || settings.has("max_dynamic_patch")) return TrainerFlavour::InternVl;
  if (settings.has("tune_mm_vision") || settings.has("tune_mm_llm")) return TrainerFlavour::QwenVl;
  return TrainerFlavour::Plain;
}

}  // namespace spillway
