// The stages of a model that is a pipeline, as traces number them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "derive/derive.h"

namespace spillway {

// By region: the stage of the model that its first stage is, counting those of pipelined regions alone, input
// first; nothing for a transposed one.
std::vector<std::optional<std::uint32_t>> first_stages(const Outline& derived);

}  // namespace spillway
