// The frameworks that a job can be written for.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/node.h"
#include "launch/write/answer.h"
#include "launch/write/job.h"

namespace spillway {

enum class LaunchFramework {
  MegatronLm,
  MegatronBridge,
  MegatronSwift,
  Torchtitan,
  Accelerate,
  DeepSpeed,
  MindSpeedLlm,
  MindSpeedMm
};

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

// Those that read the options of the experiment's own software: megatron-overlapped is Megatron-LM. Without
// software, those that run on the platform. Empty for software that no launch is written for.
std::vector<LaunchFramework> frameworks_of(const Experiment& experiment);

LaunchAnswer write_launch(const Experiment& experiment, const ScheduleSpec& schedule,
                          LaunchFramework framework);

// The launch by the first of frameworks_of() that can express the job, or why none can, in one line.
struct LaunchOffer {
  std::optional<LaunchFramework> framework = {};
  std::optional<WrittenLaunch> launch = {};
  std::string reason = {};
};
LaunchOffer launch_offer(const Experiment& experiment, const ScheduleSpec& schedule);

// { "framework": "Megatron-LM", "version", "arguments", "files": [ { "name", "text" } ], "remarks" }
Node launch_document(LaunchFramework framework, const WrittenLaunch& launch);

// The launch of an experiment by one framework, or the reasons why there is none.
struct ExportedLaunch {
  LaunchFramework framework;
  LaunchAnswer answer;
};

}  // namespace spillway
