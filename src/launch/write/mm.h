// Jobs with an encoder as MindSpeed-MM's script, model.json and data.json.
#pragma once

#include <string_view>

#include "launch/write/answer.h"
#include "launch/write/job.h"

namespace spillway {

LaunchAnswer write_mm(const LaunchJob& job, std::string_view software);

}  // namespace spillway
