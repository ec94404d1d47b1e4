// Writes layouts as the launch flags of training frameworks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/layout.h"

namespace spillway {

struct LaunchFlags {
  std::string framework;  // with the version that has these arguments
  std::optional<std::string> flags;
  std::string lacks = {};  // what the framework cannot express; then there are no flags
};

// Megatron-LM core_v0.19.0 (megatron/training/arguments.py), MindSpeed on Megatron core_v0.12.1, torchtitan
// v0.2.2 (torchtitan/config/job_config.py). `stage_layers` are the layers of each stage in the model's order;
// empty: one stage. Only Megatron-LM's flags express stages of unequal layers
// (--pipeline-model-parallel-layout). None of the frameworks can express a job with an encoder.
std::vector<LaunchFlags> launch_flags(const PlanJob& job, const PlanLayout& layout,
                                      std::span<const std::uint32_t> stage_layers);

}  // namespace spillway
