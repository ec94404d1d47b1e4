// Jobs as recipes of Megatron-Bridge with overrides.
#pragma once

#include <string_view>

#include "launch/write/answer.h"
#include "launch/write/job.h"

namespace spillway {

LaunchAnswer write_bridge(const LaunchJob& job, std::string_view software);

}  // namespace spillway
