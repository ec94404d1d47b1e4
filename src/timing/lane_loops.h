// The two loops that everything about many lanes comes down to, in the vectors that a machine has. Every
// lane's bits are those of the plain loop: each operation is the lane's own, in the same order, and nothing
// is contracted. Private to src/timing. Test: tests/timing/lane_loops_test.cpp, each against the plain one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "order/duration_rows.h"

namespace spillway {

// A row of ends where nothing ever ends, for events that wait for none.
inline constexpr std::uint32_t kZeroRow = 0;
inline constexpr std::uint32_t kNoVia = static_cast<std::uint32_t>(-1);

// An event, when those end that it waits for, and what it takes is added to. Behind the second of them lies
// the event `via`, which is no step of its own.
struct PathStep {
  std::uint32_t event;
  std::uint32_t own, first, second;  // rows of ends
  std::uint32_t via;
  std::uint32_t sum;  // row of sums
};

// Ends of events, lanes coming as rows `width` wide, and the last end of each lane. `sums` are none or rows.
struct LaneEnds {
  std::uint32_t width;
  double* ends;
  double* latest;
  double* sums;
};

// Steps whose durations are in a stretch that begins at event `first`:
//   own = max(first, second + what via takes) + what the event takes;  sum += what the event takes
using RunSteps = void (*)(std::span<const PathStep> steps, std::uint32_t first, const RowStretch& takes,
                          const LaneEnds& lanes);

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
// The fastest of them here.
const LaneLoops& fastest_loops();

}  // namespace spillway
