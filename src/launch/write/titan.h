// Jobs as TOML of torchtitan, with a script that starts it.
#pragma once

#include <string_view>

#include "launch/write/answer.h"
#include "launch/write/job.h"

namespace spillway {

LaunchAnswer write_titan(const LaunchJob& job, std::string_view software);

}  // namespace spillway
