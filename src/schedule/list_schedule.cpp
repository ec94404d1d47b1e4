// List scheduling: time jumps from one task's end to the next. Ready tasks queue at their rank by priority; a
// free rank takes the first of its queue.
//
//   rank 0  a a          c waits for a and has priority over d, but is not ready when b ends:
//   rank 1  b d d d c    rank 1 takes d rather than wait
//
// O((n + e) log n). In Graham 1969, https://doi.org/10.1137/0117039, any rank takes any task; here each task
// has its rank, and only the order is open. Tests: tests/schedule/list_schedule_test.cpp.
#include "schedule/list_schedule.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "base/error.h"
#include "schedule/room_on_ranks.h"

namespace spillway {
namespace {

using Task = std::uint32_t;

template <class Key>
using SmallestFirst =
    std::priority_queue<std::pair<Key, Task>, std::vector<std::pair<Key, Task>>, std::greater<>>;

class ListScheduler {
 public:
  ListScheduler(const Tasks& tasks, std::uint32_t ranks)
      : tasks_(tasks),
        ready_at_(tasks.rank.size()),
        ready_(ranks),
        held_back_(ranks),
        busy_(ranks, false),
        room_(tasks.room, tasks.rank) {
    const std::size_t n = tasks.rank.size();
    ensure(tasks.duration.size() == n && tasks.priority.size() == n && tasks.after.row.size() == n + 1,
           "every list has one entry per task");
    index_successors();
    for (Task task = 0; task < n; ++task) {
      ensure(tasks.rank[task].index() < ranks, "every task has one of the ranks");
      if (missing_[task] == 0) make_ready(task);
    }
  }

  std::vector<Task> run() {
    for (std::uint32_t rank = 0; rank < ready_.size(); ++rank) start_next(rank, Seconds());
    Seconds now;
    while (goes_on(now)) {
      now = next_change();
      std::vector<std::uint32_t> touched = end_tasks(now);
      take_arrived(now, touched);
      for (std::uint32_t rank : touched) start_next(rank, now);
    }
    ensure(started_.size() == tasks_.rank.size(), "precedence has no cycle");
    return std::move(started_);
  }

 private:
  // Converts predecessors to successors, also in compressed rows.
  void index_successors() {
    const auto& [row, predecessors] = tasks_.after;
    const std::size_t n = tasks_.rank.size();
    first_successor_.assign(n + 1, 0);
    for (Task before : predecessors) {
      ensure(before < n, "predecessors are tasks");
      ++first_successor_[before + 1];
    }
    for (std::size_t task = 0; task < n; ++task) first_successor_[task + 1] += first_successor_[task];
    std::vector<std::uint32_t> next(first_successor_.begin(), first_successor_.end() - 1);
    successors_.resize(predecessors.size());
    missing_.resize(n);
    for (Task task = 0; task < n; ++task) {
      missing_[task] = row[task + 1] - row[task];
      for (std::uint32_t i = row[task]; i < row[task + 1]; ++i) successors_[next[predecessors[i]]++] = task;
    }
  }

  // Returns false at the end. Where all ranks wait for room, one task starts without it.
  bool goes_on(Seconds now) {
    for (std::uint32_t rank = 0; rank < ready_.size() && running_.empty() && arriving_.empty(); ++rank) {
      if (held_back_[rank].empty()) continue;
      const auto first = std::ranges::min_element(held_back_[rank]);
      const Task task = first->second;
      held_back_[rank].erase(first);
      start(rank, task, now);
    }
    return !running_.empty() || !arriving_.empty();
  }

  Seconds next_change() const {
    if (running_.empty()) return arriving_.top().first;
    return arriving_.empty() ? running_.top().first : std::min(running_.top().first, arriving_.top().first);
  }

  // Queues the tasks whose last predecessor's result has arrived by now.
  void take_arrived(Seconds now, std::vector<std::uint32_t>& touched) {
    for (; !arriving_.empty() && arriving_.top().first == now; arriving_.pop()) {
      make_ready(arriving_.top().second);
      touched.push_back(tasks_.rank[arriving_.top().second].index());
    }
  }

  void make_ready(Task task) { ready_[tasks_.rank[task].index()].emplace(tasks_.priority[task], task); }

  // Ends the tasks that end now. Returns the ranks that became free or whose queues grew, in no particular
  // order.
  std::vector<std::uint32_t> end_tasks(Seconds now) {
    std::vector<std::uint32_t> touched;
    while (!running_.empty() && running_.top().first == now) {
      const Task ended = running_.top().second;
      running_.pop();
      const std::uint32_t rank = tasks_.rank[ended].index();
      busy_[rank] = false;
      touched.push_back(rank);
      if (room_.end(ended)) let_in(rank);
      for (std::uint32_t i = first_successor_[ended]; i < first_successor_[ended + 1]; ++i) {
        const Task task = successors_[i];
        const bool elsewhere = tasks_.rank[task] != tasks_.rank[ended];
        ready_at_[task] = std::max(ready_at_[task], elsewhere ? now + tasks_.transfer : now);
        if (--missing_[task] == 0) arriving_.emplace(ready_at_[task], task);
      }
    }
    return touched;
  }

  void let_in(std::uint32_t rank) {
    for (const auto& one : held_back_[rank]) ready_[rank].push(one);
    held_back_[rank].clear();
  }

  void start_next(std::uint32_t rank, Seconds now) {
    while (!busy_[rank] && !ready_[rank].empty()) {
      const auto next = ready_[rank].top();
      ready_[rank].pop();
      if (room_.admits(next.second))
        start(rank, next.second, now);
      else
        held_back_[rank].push_back(next);
    }
  }

  void start(std::uint32_t rank, Task task, Seconds now) {
    room_.start(task);
    busy_[rank] = true;
    started_.push_back(task);
    running_.emplace(now + tasks_.duration[task], task);
  }

  const Tasks& tasks_;
  std::vector<std::uint32_t> first_successor_, successors_;
  std::vector<std::uint32_t> missing_;  // predecessors that have not ended
  std::vector<Seconds> ready_at_;       // so far, by predecessors that have ended
  SmallestFirst<Seconds> arriving_;     // tasks with no missing predecessors, by ready time
  std::vector<SmallestFirst<std::uint64_t>> ready_;
  std::vector<std::vector<std::pair<std::uint64_t, Task>>> held_back_;  // ready, but without room
  std::vector<bool> busy_;
  SmallestFirst<Seconds> running_;  // by their ends
  std::vector<Task> started_;
  RoomOnRanks room_;
};

}  // namespace

void TaskPredecessors::add(const std::vector<std::uint32_t>& of_next_task) {
  predecessors.insert(predecessors.end(), of_next_task.begin(), of_next_task.end());
  row.push_back(static_cast<std::uint32_t>(predecessors.size()));
}

std::vector<std::uint32_t> start_order(const Tasks& tasks, std::uint32_t ranks) {
  return ListScheduler(tasks, ranks).run();
}

std::vector<std::vector<std::uint32_t>> list_schedule(const Tasks& tasks, std::uint32_t ranks) {
  std::vector<std::vector<std::uint32_t>> orders(ranks);
  for (std::uint32_t task : start_order(tasks, ranks)) orders[tasks.rank[task].index()].push_back(task);
  return orders;
}

}  // namespace spillway
