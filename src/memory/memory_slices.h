// What a rank holds over the step, in equal parts of its time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "memory/peak_memory.h"

namespace spillway {

inline Bytes most_of(const std::vector<MemoryLevel>& levels) {
  Bytes most;
  for (const MemoryLevel& level : levels) most = std::max(most, level.total);
  return most;
}

// The most held in each of `slices` equal parts of `span`. Contract: levels from the start on.
std::vector<Bytes> most_by_slice(const std::vector<MemoryLevel>& levels, Seconds span, std::size_t slices);

}  // namespace spillway
