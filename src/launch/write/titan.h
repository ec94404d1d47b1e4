// Jobs as TOML of torchtitan, with a script that starts it.
#pragma once

#include "launch/write/answer.h"
#include "launch/write/job.h"

namespace spillway {

LaunchAnswer write_titan(const LaunchJob& job);

}  // namespace spillway
