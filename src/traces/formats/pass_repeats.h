// Steps where the file numbers none. Private to src/traces.
#pragma once

#include <cstdint>
#include <span>

#include "traces/events/trace.h"

namespace spillway {

// Of one process: the n-th time that a pass or transfer of a stage and microbatch comes, it is of step n, and
// what begins after it, of that step, too. Returns how many steps there are: at least 1.
std::uint32_t number_repeats(std::span<TraceEvent> events);

}  // namespace spillway
