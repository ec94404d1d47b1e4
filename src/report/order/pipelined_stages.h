// The numbers that traces give to the stages of pipelined regions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "derive/derive.h"

namespace spillway {

// Returns the number of each region's first stage. Stages of pipelined regions alone are counted, from the
// input on. A transposed region has nothing.
std::vector<std::optional<std::uint32_t>> first_stages(const Outline& derived);

}  // namespace spillway
