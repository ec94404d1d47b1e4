// The number of microbatches that a rank's stages hold in an order when a backward begins. Private to
// src/search.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/skeleton.h"

namespace spillway {

// Numbers of microbatches for each chunk of a rank (its stages, input first) when a backward, or its input
// gradient, begins.
struct HeldCounts {
  std::uint32_t chunk;                             // the chunk whose backward begins
  std::vector<std::uint32_t> activations;          // including the one whose backward begins
  std::vector<std::uint32_t> for_weight_gradient;  // their weight gradient is still to run

  friend bool operator==(const HeldCounts&, const HeldCounts&) = default;
};

// Returns by rank the counts that no other counts of the same chunk exceed or equal in every entry. For a
// skeleton that plans by times it returns least_held(), which every order holds. Contract: that of
// rank_orders().
std::vector<std::vector<HeldCounts>> held_counts(const Skeleton& skeleton, const RunShape& shape);

// Returns what every order of a rank with this many stages holds: the microbatch whose backward begins.
std::vector<HeldCounts> least_held(std::uint32_t chunks);

}  // namespace spillway
