// Passes of one building block after the other, put into slots. Private to src/schedule (v_controlled.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "schedule/rank_order.h"

namespace spillway {

// What a microbatch does on every rank, in this order: its forward through chunk 0 (down the ranks) and chunk
// 1 (up), its input gradients through chunk 1 (down) and chunk 0 (up).
inline constexpr std::uint32_t kPasses = 4;
inline constexpr std::uint32_t kPeriod = 6;  // slots from one microbatch to the next

// In which slot each pass of microbatch 0 runs, by rank; the other microbatches follow one period apart.
using VBlock = std::vector<std::array<std::uint32_t, kPasses>>;

struct VStep {
  std::uint32_t rank;
  Slot slot;
};

struct VSwitches {
  bool steady;     // between the first microbatch's end and the last one's start, keep the block's own times
  bool run_ahead;  // the forwards that fill the memory first need not keep the block's order
};

// The block's passes slot by slot, at most `limit` microbatches' activations on a rank; each step stands
// after those that it waits for. Contract: the block itself stays within the limit.
std::vector<VStep> v_steps(const VBlock& block, const RunShape& shape, std::uint32_t limit,
                           VSwitches switches);

}  // namespace spillway
