// Finds actions that wait for each other in a schedule that deadlocks. Private to src/schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/action_list.h"

namespace spillway {

// The place of a cell in the lists.
struct Cell {
  std::uint32_t rank;
  std::uint32_t slot;

  friend bool operator==(const Cell&, const Cell&) = default;
};

// `waiting` cannot start before `awaited` has ended.
struct ListWait {
  Cell waiting;
  Cell awaited;
};

// Runs the lists: each rank executes its actions in order, each as soon as its input is there. Returns
// nothing if all actions run, else a cycle of waits. The action that a rank awaits stands at or after the
// action in which the next rank waits; the last rank awaits one at or after the first rank's. The cycle
// begins with its lowest rank. Contract: check_action_lists finds nothing except cycles.
std::vector<ListWait> waiting_circle(const ActionLists& lists, std::uint32_t microbatches);

// A picture of the cycle, in at most `columns` columns if possible. Each row is a rank: its last action, the
// action in which it [waits], and the following ones up to the <awaited> one:
//
//   rank 0, slot 2  0F0   0F1  [0B1] <0F2>             waits for 1B1
//   rank 1, slot 1        1F0  [1F2]  1F1   1B0  ... <1B1> waits for 0F2
std::string circle_picture(const ActionLists& lists, const std::vector<ListWait>& circle,
                           std::size_t columns);

}  // namespace spillway
