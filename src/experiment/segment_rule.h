// A schedule whose pipeline is cut into segments (schedule/segments.h), their order searched for what a step
// holds.
#pragma once

#include <cstdint>

namespace spillway {

struct SegmentRule {
  std::uint32_t segments = 0;  // 0: there is nothing to search
  std::uint32_t of_encoder = 0;
  std::uint32_t parts = 1;  // of a microbatch, that pass the encoder one by one

  friend bool operator==(const SegmentRule&, const SegmentRule&) = default;
};

}  // namespace spillway
