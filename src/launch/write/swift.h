// Jobs with images as scripts of ms-swift's Megatron: megatron sft.
#pragma once

#include <string_view>

#include "launch/write/answer.h"
#include "launch/write/job.h"

namespace spillway {

LaunchAnswer write_swift(const LaunchJob& job, std::string_view software);

}  // namespace spillway
