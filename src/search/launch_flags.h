// Layouts as the launch flags of training frameworks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/layout.h"

namespace spillway {

struct LaunchFlags {
  std::string framework;  // and the version whose arguments these are
  std::optional<std::string> flags;
  std::string lacks = {};  // what it has no words for; then there are no flags
};

// Megatron-LM core_v0.19.0 (megatron/training/arguments.py), MindSpeed on Megatron core_v0.12.1, torchtitan
// v0.2.2 (torchtitan/config/job_config.py). Layers are left to the framework, which shares them out evenly,
// where a plan may have balanced them. Jobs with an encoder have no words in any of them.
std::vector<LaunchFlags> launch_flags(const PlanJob& job, const PlanLayout& layout);

}  // namespace spillway
