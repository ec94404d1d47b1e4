// The memory of each rank over the step, read from placement and order (paper section 3.1, "Memory as a
// derived view"). The order gives the amounts; a timeline gives the times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cost/slabs/footprint.h"
#include "derive/derive.h"
#include "timing/timeline.h"

namespace spillway {

// The memory of each device of a rank; if they differ, of the one that holds the most.
struct MemoryParts {
  ModelState state = {};   // of every stage on the rank, including copies of a transposed region
  Bytes activations = {};  // of pipelined regions
  Bytes transposed = {};   // of transposed regions: from an encode to its backward, across the whole body
  Bytes waiting = {};      // arrived data from or for a transposed region, until its pass begins
  Bytes working = {};      // during a backward: recomputed activations and gradients in progress
  Bytes workspace = {};    // during a pass: temporaries of its operators; also permanent buffers

  Bytes total() const {
    return state.parameters + state.gradients + state.optimizer + activations + transposed + waiting +
           working + workspace;
  }
};

struct MemoryLevel {
  Seconds since;
  Bytes total;
};

// The memory of each rank of one replica from the start of the step. There is a level at each start and end
// of a computing event, and whenever data begins to wait. The output of a forward is not counted on the rank
// that computed it, so a frozen stage holds nothing there. Contract: `timeline` runs `derived`.
std::vector<std::vector<MemoryLevel>> memory_over_time(const Derived& derived, const Footprints& footprints,
                                                       const Timeline& timeline, ReplicaId replica);

inline Bytes most_of(const std::vector<MemoryLevel>& levels) {
  Bytes most;
  for (const MemoryLevel& level : levels) most = std::max(most, level.total);
  return most;
}

// The most memory in each of `slices` equal parts of `span`. Contract: levels begin at the start.
std::vector<Bytes> most_by_slice(const std::vector<MemoryLevel>& levels, Seconds span, std::size_t slices);

struct PeakMemory {
  ReplicaId replica;
  RankId rank;
  MemoryParts parts;
  Seconds when;  // when it is first reached; 0 if only the state is held
};

// The peaks, replica by replica and rank by rank. Linear in events x replicas. Contract: `timeline` runs
// `derived`.
std::vector<PeakMemory> peak_memory(const Derived& derived, const Footprints& footprints,
                                    const Timeline& timeline);

// The largest total of the peaks.
Bytes most_memory(const Derived& derived, const Footprints& footprints, const Timeline& timeline);

// Returns true if any rank holds data that has arrived from or for a transposed region. If none does, no
// timeline is needed.
bool anything_waits(const Derived& derived, const Footprints& footprints);

// The largest total, equal to the last bit under any timeline. Searches judge many points by it. A rank whose
// stages hold the same in all replicas is walked once. Contract: nothing waits.
Bytes most_memory(const Derived& derived, const Footprints& footprints);

}  // namespace spillway
