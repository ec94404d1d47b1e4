// The frameworks that a job can be written for.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/write/answer.h"
#include "launch/write/job.h"

namespace spillway {

enum class LaunchFramework { MegatronLm, MegatronBridge, Torchtitan, Accelerate, DeepSpeed, MindSpeedLlm };

struct LaunchWriter {
  LaunchFramework framework;
  std::string_view name;     // as users write it: "megatron-lm"
  std::string_view title;    // "Megatron-LM"
  std::string_view version;  // whose options it writes: "core 0.20.0, d98e8a64dd"
  LaunchAnswer (*write)(const LaunchJob&, std::string_view software);

  // "Megatron-LM core 0.20.0 (d98e8a64dd)"
  std::string software() const { return std::string(title) + ' ' + std::string(version); }
};

// In the order in which they are listed.
const std::vector<LaunchWriter>& launch_writers();
const LaunchWriter& launch_writer(LaunchFramework framework);
// Nothing for a name that is none.
std::optional<LaunchFramework> launch_framework(std::string_view name);
std::string launch_framework_names();  // for people

// Those whose options the experiment's own software reads: a megatron-overlapped is Megatron-LM's. Without a
// framework, those that run on the platform. Never empty.
std::vector<LaunchFramework> frameworks_of(const Experiment& experiment);

LaunchAnswer write_launch(const Experiment& experiment, const ScheduleSpec& schedule,
                          LaunchFramework framework);

}  // namespace spillway
