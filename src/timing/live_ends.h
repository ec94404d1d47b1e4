// Rows for the ends of events, each for as long as something waits for it. Private to src/timing.
//
// A row is free again when the last event that waits for it has read it, and the one freed last is taken
// first, so that what is written next lies in the nearest cache. A wavefront through 1F1B of P ranks takes
// 2 P rows, through GPipe the messages that wait as well.
#pragma once

#include <cstdint>
#include <vector>

#include "timing/essential_edges.h"

namespace spillway {

// A row where nothing ever ends, for events that wait for none.
inline constexpr std::uint32_t kZeroRow = 0;

struct LiveRows {
  std::vector<std::uint32_t> of;  // by event
  std::uint32_t count;            // kZeroRow included
};

// An event may take the row of one that it is the last to wait for. Linear in the edges.
LiveRows live_rows(const EssentialEdges& edges);

}  // namespace spillway
