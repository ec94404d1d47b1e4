// Every system's own function. Private to src/systems.
#pragma once

#include "systems/system.h"

namespace spillway {

LaidOut megatron(const SystemJob& job, const SystemOptions& options);
LaidOut megatron_balanced(const SystemJob& job, const SystemOptions& options);
LaidOut dip(const SystemJob& job, const SystemOptions& options);
LaidOut disttrain(const SystemJob& job, const SystemOptions& options);
LaidOut encode_first(const SystemJob& job, const SystemOptions& options);
LaidOut encode_in_bubbles(const SystemJob& job, const SystemOptions& options);
LaidOut entrain(const SystemJob& job, const SystemOptions& options);
LaidOut megascale_omni(const SystemJob& job, const SystemOptions& options);
LaidOut mimo(const SystemJob& job, const SystemOptions& options);
LaidOut mpipe(const SystemJob& job, const SystemOptions& options);
LaidOut mpipe_released(const SystemJob& job, const SystemOptions& options);
LaidOut orchmllm(const SystemJob& job, const SystemOptions& options);
LaidOut optimus(const SystemJob& job, const SystemOptions& options);

}  // namespace spillway
