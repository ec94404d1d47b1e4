// Distributes items to bins, largest first: the rule of longest processing time (Graham, 1969). Its fullest
// bin has at most 4/3 of the least possible. Private to src/workload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spillway {

struct DealtItem {
  std::uint64_t weight;
  std::uint64_t second = 0;  // breaks ties
  std::uint32_t home;        // the bin for which the item was drawn
};

// Returns the bin of each item: the bin with the least weight that has room. Ties go to the bin with the
// least `second`, then to the item's home, then to the first bin. `room` is the number of items that fit into
// a bin; 0: any number. Of equal items, those that come first at their home are distributed first, so that
// items that are all equal stay at home.
std::vector<std::uint32_t> dealt_out(const std::vector<DealtItem>& items, std::uint32_t bins,
                                     std::uint32_t room = 0);

// The largest sum of any bin, for each of the two weights.
struct FullestBin {
  std::uint64_t weight = 0, second = 0;
};
FullestBin fullest(const std::vector<DealtItem>& items, const std::vector<std::uint32_t>& bin_of,
                   std::uint32_t bins);

// Returns the home of each item.
std::vector<std::uint32_t> homes(const std::vector<DealtItem>& items);

// Returns dealt_out(), or the homes if that makes the fullest bin no less full.
std::vector<std::uint32_t> dealt_out_if_better(const std::vector<DealtItem>& items, std::uint32_t bins,
                                               std::uint32_t room = 0);

// Distributes each turn by itself, if that is better than its homes. If this makes the fullest bin of all
// turns so far less full, the fuller bins of a turn go to the bins that had less before. All items stay at
// home if the fullest bin of all turns is no less full in the end.
std::vector<std::vector<std::uint32_t>> dealt_out_by_turn(const std::vector<std::vector<DealtItem>>& turns,
                                                          std::uint32_t bins);

}  // namespace spillway
