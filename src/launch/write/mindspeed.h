// Jobs as scripts of MindSpeed-LLM.
#pragma once

#include <string_view>

#include "launch/write/answer.h"
#include "launch/write/job.h"

namespace spillway {

LaunchAnswer write_mindspeed(const LaunchJob& job, std::string_view software);

}  // namespace spillway
