// An order prepared for the flat loops (lane_loops.h): a step for each event, and rows for their ends.
// Private to src/timing.
//
// A transfer that only its receiver waits for is folded: it has no step and no end of its own, and the
// receiver's step adds its duration. In a pipeline this is every other event, so folding halves the memory
// traffic of a pass.
//
// A row of ends is freed when the last step that waits for it has read it. The row freed last is reused
// first, so that writes stay in the nearest cache. A wavefront through 1F1B of P ranks takes 2 P rows; GPipe
// also needs a row for each waiting message.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timing/essential_edges.h"
#include "timing/lane_loops.h"

namespace spillway {

// The row of a folded event.
inline constexpr std::uint32_t kFolded = static_cast<std::uint32_t>(-1);

struct PathSteps {
  std::vector<PathStep> steps;     // by event
  std::vector<std::uint32_t> row;  // by event: the row of its end
  std::uint32_t rows = 0;          // live at once, including kZeroRow
  std::uint32_t sums = 0;          // rows of sums: the busy time of each rank, and one for everything else
};

// The step of an event with more than two predecessors has only its own row and sum. Linear in the edges.
PathSteps folded_steps(const Order& order, const EssentialEdges& edges);

// The same order with a step for every event. `folded` is of the same order.
PathSteps single_steps(const EssentialEdges& edges, const PathSteps& folded);

}  // namespace spillway
