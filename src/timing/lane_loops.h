// The two loops that everything about many lanes comes down to, in the vectors that a machine has. Every
// lane's bits are those of the plain loop: each operation is the lane's own, in the same order, and nothing
// is contracted. Private to src/timing. Test: tests/timing/lane_loops_test.cpp, each against the plain one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "order/duration_rows.h"

namespace spillway {

// An event that waits for two others, or twice for one: rows of ends.
struct PathStep {
  std::uint32_t own;
  std::uint32_t first;
  std::uint32_t second;
};

// Ends of the events of a stretch, `takes` being of its first: own = max(first, second) + what it takes. Of
// each lane `latest` becomes the last. Lanes come as rows `width` wide.
using RunSteps = void (*)(std::span<const PathStep> steps, const RowStretch& takes, std::uint32_t width,
                          double* ends, double* latest);

// An event of a stretch whose durations are added to a row of sums.
struct Addend {
  std::uint32_t event;
  std::uint32_t sum;
};

// In the order of `addends`, whose stretch begins at event `first`.
using AddRows = void (*)(std::span<const Addend> addends, std::uint32_t first, const RowStretch& takes,
                         std::uint32_t width, double* sums);

struct LaneLoops {
  const char* name;
  RunSteps run;
  AddRows add;
};

// Those that this machine can run, from the plain ones to the widest.
std::span<const LaneLoops> lane_loops();
// The quickest of them here.
const LaneLoops& quickest_loops();

}  // namespace spillway
