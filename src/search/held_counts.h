// How many microbatches a rank's stages hold in an order as a backward begins. Private to src/search.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/skeleton.h"

namespace spillway {

// Microbatches by chunk of a rank, its stages input first, when a backward, or its input gradient, begins.
struct HeldCounts {
  std::uint32_t chunk;                             // whose backward it is
  std::vector<std::uint32_t> activations;          // that one's among them
  std::vector<std::uint32_t> for_weight_gradient;  // whose weight gradient is still to run

  friend bool operator==(const HeldCounts&, const HeldCounts&) = default;
};

// By rank, those that no other of the same chunk is above in everything; in any order of a skeleton that
// plans by times, what any order holds. Contract: as of rank_orders().
std::vector<std::vector<HeldCounts>> held_counts(const Skeleton& skeleton, const RunShape& shape);

// What any order of a rank with so many stages holds: the microbatch whose backward begins.
std::vector<HeldCounts> least_held(std::uint32_t chunks);

}  // namespace spillway
