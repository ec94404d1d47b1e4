// Spare nodes that take the place of failed ones while these are repaired.
#pragma once

#include <cstdint>
#include <optional>

namespace spillway {

// More spare nodes are no plan.
inline constexpr std::uint32_t kMostSpareNodes = 1'000'000;

// Returns the share of time in which enough nodes work. Each failure takes one node out of the run, for the
// time of a repair; the run waits while more than `spares` nodes are in repair. `in_repair` is the mean
// number of failures during a repair. Contract: in_repair >= 0.
double share_with_enough_nodes(double in_repair, std::uint32_t spares);

// Returns the least number of spare nodes with which that share is at least `share`; nothing if it is more
// than kMostSpareNodes. Contract: 0 < share < 1.
std::optional<std::uint32_t> spare_nodes_for(double in_repair, double share);

}  // namespace spillway
