// Which actions of a schedule that cannot run wait for each other. Private to src/schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/action_list.h"

namespace spillway {

// Where a cell of the lists is.
struct Cell {
  std::uint32_t rank;
  std::uint32_t slot;

  friend bool operator==(const Cell&, const Cell&) = default;
};

// `waiting` cannot start before `awaited` has been done.
struct Wait {
  Cell waiting;
  Cell awaited;
};

// Runs the lists: each rank does its actions in order, each as soon as its input is there. Where that comes
// to the end, nothing; else a circle of waits, each rank's awaited action standing at or behind the action in
// which the next rank waits, the last rank's at or behind the first's. It begins with its lowest rank.
// Contract: but for circles, check_action_lists finds nothing.
std::vector<Wait> waiting_circle(const ActionLists& lists, std::uint32_t microbatches);

// The circle as a picture of at most `columns` columns where that is possible, one row per rank with what it
// did last, the action it [waits] in and what comes behind it, up to the <awaited> one:
//
//   rank 0, slot 2  0F0   0F1  [0B1] <0F2>             waits for 1B1
//   rank 1, slot 1        1F0  [1F2]  1F1   1B0  ... <1B1> waits for 0F2
std::string circle_picture(const ActionLists& lists, const std::vector<Wait>& circle, std::size_t columns);

}  // namespace spillway
