// Roles are words: what a schedule transposes is its encoder work, whatever its blocks are called. Where the
// words do not say so, the report does, once.
#pragma once

#include <optional>

#include "base/warning.h"
#include "experiment/experiment.h"

namespace spillway {

// Names the blocks in transposed regions that feed pipelined ones and whose role is not encoder, and the
// schedules; none where there is no such block.
std::optional<Warning> role_remark(const Experiment& experiment);

}  // namespace spillway
