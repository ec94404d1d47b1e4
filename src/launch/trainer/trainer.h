// The settings of Hugging Face's Trainer, and of what is built on it, as an experiment: LLaMA-Factory,
// ms-swift, TRL, LLaVA, InternVL and Qwen-VL's own programs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "launch/command/arguments.h"
#include "launch/command/experiment.h"

namespace spillway {

LaunchReading read_trainer(Arguments& settings, const std::string& program,
                           std::optional<std::uint32_t> devices, const LaunchOptions& options);

// Settings that change nothing a step computes, keeps or sends, as patterns. Sources: the help texts of
// huggingface/transformers v4.57 (training_args.py), hiyouga/LLaMA-Factory @ff6d4d12ee (hparams),
// modelscope/ms-swift @3602360a56 (swift/arguments), haotian-liu/LLaVA @c121f0432d, OpenGVLab/InternVL
// @2410d1dbf2, QwenLM/Qwen3-VL @9658872, and DeepSpeed's and accelerate's documentation of their files.
std::span<const std::string_view> idle_trainer_settings();

}  // namespace spillway
