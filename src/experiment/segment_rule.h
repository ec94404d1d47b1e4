// A schedule whose pipeline is cut into segments (schedule/segments.h), their order searched for what a step
// holds.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace spillway {

struct SegmentRule {
  // All segments, each of a stage on every rank; 0: there is nothing to search.
  std::uint32_t segments() const { return std::accumulate(of_modules.begin(), of_modules.end(), 0U); }

  std::vector<std::uint32_t> of_modules = {};  // segments of each module, input first
  std::uint32_t parts = 1;                     // of a microbatch, that pass the encoder one by one

  friend bool operator==(const SegmentRule&, const SegmentRule&) = default;
};

}  // namespace spillway
