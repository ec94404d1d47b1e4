// Items dealt out to bins, largest first: the rule of longest processing time (Graham, 1969), which leaves
// the fullest bin at most 4/3 of the least there is. Private to src/workload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spillway {

struct DealtItem {
  std::uint64_t weight;
  std::uint64_t second = 0;  // tells equals apart
  std::uint32_t home;        // the bin that it was drawn for
};

// Which bin each item gets: the one with the least weight that has room, of equals with the least `second`,
// of equals its home, of equals the first. `room` items fit into a bin; 0: any number. Of equal items those
// come first that are first of their home, so that items that are all equal stay at home.
std::vector<std::uint32_t> dealt_out(const std::vector<DealtItem>& items, std::uint32_t bins,
                                     std::uint32_t room = 0);

// The most that any bin has of either weight.
struct FullestBin {
  std::uint64_t weight = 0, second = 0;
};
FullestBin fullest(const std::vector<DealtItem>& items, const std::vector<std::uint32_t>& bin_of,
                   std::uint32_t bins);

// Where items are drawn.
std::vector<std::uint32_t> homes(const std::vector<DealtItem>& items);

// Dealt out, unless no bin has less of anything for it: then at home.
std::vector<std::uint32_t> dealt_out_if_better(const std::vector<DealtItem>& items, std::uint32_t bins,
                                               std::uint32_t room = 0);

// Turn by turn, each dealt out by itself, if that is better; where it makes the fullest bin of all turns so
// far less full, the fuller ones of a turn go to the bins that had less before. All items at home where no
// bin has less in the end.
std::vector<std::vector<std::uint32_t>> dealt_out_by_turn(const std::vector<std::vector<DealtItem>>& turns,
                                                          std::uint32_t bins);

}  // namespace spillway
