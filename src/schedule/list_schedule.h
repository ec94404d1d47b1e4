// List scheduling: tasks with fixed places, put into an order by priority.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"

namespace spillway {

// What precedes what, in compressed rows: task t waits for predecessors[row[t]] .. predecessors[row[t+1]-1].
struct TaskPredecessors {
  std::vector<std::uint32_t> row = {0};
  std::vector<std::uint32_t> predecessors;

  // Adds the next task's row.
  void add(const std::vector<std::uint32_t>& of_next_task);
};

// Tasks are numbered from 0; every list has one entry per task.
struct Tasks {
  std::vector<RankId> rank;             // where it runs
  std::vector<Seconds> duration;        // at least 0
  std::vector<std::uint64_t> priority;  // lower runs first; the lower number wins a tie
  TaskPredecessors after;               // acyclic
  Seconds transfer = {};                // until a task's end is known on the other ranks
};

// Time advances from 0. A free rank starts, among the tasks whose predecessors have ended, those on other
// ranks `transfer` ago, the one of lowest priority value, and runs it to its end; it never waits for a better
// one. Each rank's tasks in that order. Deterministic: O((n + e) log n) for n tasks and e predecessors.
// Contract: after is acyclic, ranks below `ranks`. Graham 1969, Bounds on multiprocessing timing anomalies,
// https://doi.org/10.1137/0117039.
// `start_order` gives the tasks of all ranks in the order in which they start, every one behind its
// predecessors.
std::vector<std::uint32_t> start_order(const Tasks& tasks, std::uint32_t ranks);
std::vector<std::vector<std::uint32_t>> list_schedule(const Tasks& tasks, std::uint32_t ranks);

}  // namespace spillway
