// The memory that the passes of a step take on their ranks, and the memory that each rank has for them. A
// search uses it to make orders within a limit before it times them.
//
// Example: a rank has room for 3 microbatches; a forward takes 1 from its start, a backward gives 1 back at
// its end. The gradients in progress of a backward are `meanwhile`.
//
// Several draws and replicas count as their most, pass by pass. Data that waits for a pass is left out, since
// it depends on times. So this guides a search; peak_memory.h judges. Test:
// tests/memory/room_of_passes_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/slabs/footprint.h"
#include "derive/derive.h"
#include "schedule/list_schedule.h"

namespace spillway {

// `passes`: events of `derived`, the tasks of the room in this order; microbatches are groups. `draws`: at
// least one. Nothing is limited if a pass runs a forward and a backward together.
TaskRoom room_of_passes(const Derived& derived, std::span<const std::uint32_t> passes,
                        std::span<const Footprints* const> draws, Bytes limit);

}  // namespace spillway
