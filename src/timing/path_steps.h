// An order as the flat loops take it (lane_loops.h): a step for each event, and where they keep ends. Private
// to src/timing.
//
// What lies between two events and nothing else, a transfer that only its receiver waits for, is folded: it
// is no step and has no end of its own; the receiver's step adds what it takes. In a pipeline that is every
// other event, and with it goes half of what a pass reads and writes.
//
// A row of ends is free again when the last step that waits for it has read it, and the one freed last is
// taken first, so that what is written next lies in the nearest cache. A wavefront through 1F1B of P ranks
// takes 2 P rows, through GPipe the messages that wait as well.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timing/essential_edges.h"
#include "timing/lane_loops.h"

namespace spillway {

// The row of an event that is folded.
inline constexpr std::uint32_t kFolded = static_cast<std::uint32_t>(-1);

struct PathSteps {
  std::vector<PathStep> steps;     // by event
  std::vector<std::uint32_t> row;  // by event: of its end
  std::uint32_t rows = 0;          // that are alive at once, kZeroRow included
  std::uint32_t sums = 0;          // rows of them: by rank what it computes, and one of everything else
};

// Of an event with more than two predecessors the step says no more than its own row and sum. Linear in the
// edges.
PathSteps folded_steps(const Order& order, const EssentialEdges& edges);

// The same order, every event a step. `folded` is of it.
PathSteps single_steps(const EssentialEdges& edges, const PathSteps& folded);

}  // namespace spillway
