// Test: tests/launch/write_job_test.cpp.
#include "launch/write/frameworks.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "launch/write/bridge.h"
#include "launch/write/megatron.h"
#include "launch/write/mindspeed.h"
#include "launch/write/titan.h"
#include "launch/write/trainer.h"

namespace spillway {

const std::vector<LaunchWriter>& launch_writers() {
  static const std::vector<LaunchWriter> kWriters{
      {LaunchFramework::MegatronLm, "megatron-lm", "Megatron-LM", "core 0.20.0 (d98e8a64dd)", write_megatron},
      {LaunchFramework::MegatronBridge, "megatron-bridge", "Megatron-Bridge", "0.7.0 (067f987df0)",
       write_bridge},
      {LaunchFramework::Torchtitan, "torchtitan", "torchtitan", "v0.2.2 (73a0e6979d)", write_titan},
      {LaunchFramework::Accelerate, "accelerate", "accelerate", "1.15.0.dev0 (16cb6eb80d)", write_accelerate},
      {LaunchFramework::DeepSpeed, "deepspeed", "DeepSpeed", "0.19.6", write_deepspeed},
      {LaunchFramework::MindSpeedLlm, "mindspeed-llm", "MindSpeed-LLM", "26.1.0 (c77308a14b)",
       write_mindspeed},
  };
  return kWriters;
}

const LaunchWriter& launch_writer(LaunchFramework framework) {
  const auto found = std::ranges::find(launch_writers(), framework, &LaunchWriter::framework);
  ensure(found != launch_writers().end(), "every framework has a writer");
  return *found;
}

std::optional<LaunchFramework> launch_framework(std::string_view name) {
  const auto found = std::ranges::find(launch_writers(), name, &LaunchWriter::name);
  return found == launch_writers().end() ? std::nullopt : std::optional(found->framework);
}

std::string launch_framework_names() {
  std::vector<std::string_view> names;
  for (const LaunchWriter& writer : launch_writers()) names.push_back(writer.name);
  return joined(names);
}

LaunchAnswer write_launch(const Experiment& experiment, const ScheduleSpec& schedule,
                          LaunchFramework framework) {
  const auto job = launch_job(experiment, schedule);
  if (const auto* reasons = std::get_if<std::vector<std::string>>(&job)) return *reasons;
  const LaunchWriter& writer = launch_writer(framework);
  LaunchAnswer answer = writer.write(std::get<LaunchJob>(job), writer.software());
  auto* written = std::get_if<WrittenLaunch>(&answer);
  const Parallelism& parallel = std::get<LaunchJob>(job).parallel;
  if (written && parallel.tensor > 1 && parallel.tensor_overlap == TensorOverlap::None)
    written->remarks.emplace_back(
        "the framework hides collectives of tensor parallelism beside the backward, and the experiment none");
  return answer;
}

}  // namespace spillway
