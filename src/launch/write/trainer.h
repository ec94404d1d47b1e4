// Jobs without a pipeline as trainings of Hugging Face's Trainer under accelerate or DeepSpeed: TRL's sft,
// and LLaMA-Factory where samples have images.
#pragma once

#include <string_view>

#include "launch/write/answer.h"
#include "launch/write/job.h"

namespace spillway {

// FSDP2 where parameters are shared out, otherwise DistributedDataParallel.
LaunchAnswer write_accelerate(const LaunchJob& job, std::string_view software);
LaunchAnswer write_deepspeed(const LaunchJob& job, std::string_view software);

}  // namespace spillway
