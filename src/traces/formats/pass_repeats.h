// Finds the steps of a file that does not number them. Private to src/traces.
#pragma once

#include <cstdint>
#include <span>

#include "traces/events/trace.h"

namespace spillway {

// Sets the steps of one process's events. The n-th occurrence of a pass or transfer of a stage and microbatch
// belongs to step n, and so do later events. Returns the number of steps, at least 1.
std::uint32_t number_repeats(std::span<TraceEvent> events);

}  // namespace spillway
