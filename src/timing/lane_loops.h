// The two inner loops of all evaluations over many lanes, in the machine's SIMD instructions. Every lane has
// the bits of the plain loop: the operations of a lane are the same, in the same order, and none are
// contracted (no fused multiply-add). Private to src/timing. Test: tests/timing/lane_loops_test.cpp, each
// against the plain one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "order/duration_rows.h"

namespace spillway {

// A row of ends that are all zero, for events that wait for nothing.
inline constexpr std::uint32_t kZeroRow = 0;
inline constexpr std::uint32_t kNoVia = static_cast<std::uint32_t>(-1);

// One event of the longest path: the rows of ends that it waits for, and the sum to which its duration is
// added. The folded event `via` lies between the second predecessor and this event; it is not a step of its
// own.
struct PathStep {
  std::uint32_t event;
  std::uint32_t own, first, second;  // rows of ends
  std::uint32_t via;
  std::uint32_t sum;  // row of sums
};

// Ends of events in rows of `width` lanes, and the last end of each lane. `sums` is empty or has rows.
struct LaneEnds {
  std::uint32_t width;
  double* ends;
  double* latest;
  double* sums;
};

// Runs steps whose durations are in a stretch that begins at event `first`:
//   own = max(first, second + duration(via)) + duration(event);  sum += duration(event)
using RunSteps = void (*)(std::span<const PathStep> steps, std::uint32_t first, const RowStretch& takes,
                          const LaneEnds& lanes);

// An event whose durations are added to a row of sums.
struct Addend {
  std::uint32_t event;
  std::uint32_t sum;
};

// Adds the durations in the order of `addends`. The stretch begins at event `first`.
using AddRows = void (*)(std::span<const Addend> addends, std::uint32_t first, const RowStretch& takes,
                         std::uint32_t width, double* sums);

struct LaneLoops {
  const char* name;
  RunSteps run;
  AddRows add;
};

// The loops that this machine can run, from the plain ones to the widest.
std::span<const LaneLoops> lane_loops();
// The fastest loops on this machine.
const LaneLoops& fastest_loops();

}  // namespace spillway
