// What each rank holds over the step, read off placement and order (paper section 3.1, "Memory as a derived
// view"). The order alone says how much; a timeline says when.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cost/slabs/footprint.h"
#include "derive/derive.h"
#include "timing/timeline.h"

namespace spillway {

// On each device of a rank, or the one that holds the most.
struct MemoryParts {
  ModelState state = {};   // of every stage the rank holds, copies of a transposed region among them
  Bytes activations = {};  // of pipelined regions
  Bytes transposed = {};   // of transposed ones: from an encode until its backward, across the whole body
  Bytes waiting = {};      // what has come from a transposed region, or for one, and no pass has begun on yet
  Bytes working = {};      // while a backward runs: recomputed activations, gradients on their way
  Bytes workspace = {};    // while a pass runs: temporaries of its operators; and buffers that always stay

  Bytes total() const {
    return state.parameters + state.gradients + state.optimizer + activations + transposed + waiting +
           working + workspace;
  }
};

struct MemoryLevel {
  Seconds since;
  Bytes total;
};

// By rank of one replica: what it holds from the start of the step on, a level at each start and end of a
// computing event, and wherever something begins to wait. What a forward passes on is not counted on the rank
// that has computed it: a frozen stage holds nothing there. Contract: `timeline` runs `derived`.
std::vector<std::vector<MemoryLevel>> memory_over_time(const Derived& derived, const Footprints& footprints,
                                                       const Timeline& timeline, ReplicaId replica);

inline Bytes most_of(const std::vector<MemoryLevel>& levels) {
  Bytes most;
  for (const MemoryLevel& level : levels) most = std::max(most, level.total);
  return most;
}

// The most held in each of `slices` equal parts of `span`. Contract: levels from the start on.
std::vector<Bytes> most_by_slice(const std::vector<MemoryLevel>& levels, Seconds span, std::size_t slices);

struct PeakMemory {
  ReplicaId replica;
  RankId rank;
  MemoryParts parts;
  Seconds when;  // it is first reached; 0 where nothing but the state is held
};

// Replica by replica, rank by rank. Linear in events x replicas. Contract: `timeline` runs `derived`.
std::vector<PeakMemory> peak_memory(const Derived& derived, const Footprints& footprints,
                                    const Timeline& timeline);

// The largest total among those.
Bytes most_memory(const Derived& derived, const Footprints& footprints, const Timeline& timeline);

// Does a rank hold what has come from a transposed region, or for one? Where none does, no timeline is
// needed.
bool anything_waits(const Derived& derived, const Footprints& footprints);

// The largest total under any timeline, to the last bit: many points are judged by it. Ranks whose stages
// hold alike are walked once for all replicas. Contract: nothing waits.
Bytes most_memory(const Derived& derived, const Footprints& footprints);

}  // namespace spillway
