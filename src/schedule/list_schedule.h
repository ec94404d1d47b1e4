// List scheduling: orders tasks with fixed places by priority.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"

namespace spillway {

// Predecessors in compressed sparse rows: task t waits for predecessors[row[t]] .. predecessors[row[t+1]-1].
struct TaskPredecessors {
  std::vector<std::uint32_t> row = {0};
  std::vector<std::uint32_t> predecessors;

  // Appends the row of the next task.
  void add(const std::vector<std::uint32_t>& of_next_task);
};

// Room that tasks take on their ranks, such as memory (room_on_ranks.h). Empty lists: nothing is limited.
struct TaskRoom {
  std::vector<Bytes> of_rank;        // by rank
  std::vector<Bytes> at_start;       // by task: taken by its start, at least 0
  std::vector<Bytes> meanwhile;      // by task: taken beside that while it runs
  std::vector<Bytes> at_end;         // by task: the change at its end, at most 0
  std::vector<std::uint32_t> group;  // by task; lower ones can end first
};

// Tasks are numbered from 0; every list has one entry per task.
struct Tasks {
  std::vector<RankId> rank;             // the rank that runs it
  std::vector<Seconds> duration;        // at least 0
  std::vector<std::uint64_t> priority;  // lower runs first; the lower number wins a tie
  TaskPredecessors after;               // acyclic
  Seconds transfer = {};                // delay until the other ranks know a task's end
  TaskRoom room = {};
};

// Returns each rank's tasks in order. Time advances from 0. A task is ready when its predecessors have ended,
// those on other ranks `transfer` ago. A free rank starts the ready task with the lowest priority value and
// runs it to its end; it never waits for a better one. Deterministic: O((n + e) log n) for n tasks and e
// predecessors. Contract: after is acyclic, ranks below `ranks`. Graham 1969, Bounds on multiprocessing
// timing anomalies, https://doi.org/10.1137/0117039. `start_order` returns the tasks of all ranks in the
// order in which they start, every task after its predecessors. If room is limited, a rank takes the first
// ready task that leaves enough of it to the others. If no task does, one starts without room.
std::vector<std::uint32_t> start_order(const Tasks& tasks, std::uint32_t ranks);
std::vector<std::vector<std::uint32_t>> list_schedule(const Tasks& tasks, std::uint32_t ranks);

}  // namespace spillway
