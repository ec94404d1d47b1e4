// Room that tasks take on their ranks, such as memory, and who may take some.
//
// A task takes room at its start and gives some back at its end. Tasks with the same number are a group (a
// microbatch): its first tasks take room, and its last ones give it back. If ranks took tasks whenever they
// fit, all room could be taken by groups of which none can go on. So a task may take room only if the groups
// of its rank can still end one after the other, the lowest number first, each with what those before it gave
// back. Then the lowest group that has not ended can always go on, on every rank.
//
// Example: room for 3, groups that take 2 (two stages of one). The first group has taken 1. The second one
// may take 1, since the first still finds its second 1; then the third may not.
//
// Cost: O(groups between the lowest that has not ended and the highest that has begun) for each question.
// Source: E. W. Dijkstra, Een algorithme ter voorkoming van de dodelijke omarming (EWD 108, about 1964), the
// banker's algorithm. Test:
// tests/schedule/room_on_ranks_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/list_schedule.h"

namespace spillway {

class RoomOnRanks {
 public:
  // Views both. Contract: every list of `room` has one entry for each task, or none if nothing is limited.
  RoomOnRanks(const TaskRoom& room, const std::vector<RankId>& rank);

  // Returns true if the task may start now.
  bool admits(std::uint32_t task) const;
  void start(std::uint32_t task);
  // Returns true if other tasks of its rank may be admitted now that were not before.
  bool end(std::uint32_t task);

 private:
  struct Group {
    Bytes held, to_take;     // by tasks that have started, and by those that have not
    Bytes meanwhile;         // the most that one of its tasks takes while it runs
    std::uint32_t left = 0;  // tasks that have not ended
  };
  struct OnRank {
    Bytes held;
    std::vector<Group> groups;
    std::uint32_t first = 0, last = 0;  // the lowest that has not ended, and the highest that has begun
  };

  const TaskRoom& room_;
  const std::vector<RankId>& rank_;
  std::vector<OnRank> ranks_;  // empty: nothing is limited
};

}  // namespace spillway
