// List scheduling against its definition, executed instant by instant.
#include "schedule/list_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "support/property.h"

namespace spillway {
namespace {

using Orders = std::vector<std::vector<std::uint32_t>>;

Tasks with_tasks(const std::vector<std::uint32_t>& ranks, const std::vector<double>& durations,
                 const std::vector<std::uint64_t>& priorities,
                 const std::vector<std::vector<std::uint32_t>>& predecessors) {
  Tasks tasks;
  for (std::uint32_t rank : ranks) tasks.rank.emplace_back(rank);
  for (double duration : durations) tasks.duration.emplace_back(duration);
  tasks.priority = priorities;
  for (const auto& of_task : predecessors) tasks.after.add(of_task);
  return tasks;
}

TEST(ListSchedule, TakesTheLowestPriorityValueThenTheLowestNumber) {
  EXPECT_EQ(list_schedule(with_tasks({0, 0, 0, 0}, {1, 1, 1, 1}, {2, 1, 1, 0}, {{}, {}, {}, {}}), 1),
            (Orders{{3, 1, 2, 0}}));
}

// Task 2 has priority over task 1, but becomes ready only when task 0 ends on the other rank.
TEST(ListSchedule, AFreeRankNeverWaitsForABetterTask) {
  EXPECT_EQ(list_schedule(with_tasks({0, 1, 1, 1}, {2, 3, 1, 1}, {0, 2, 0, 1}, {{}, {}, {0}, {1}}), 2),
            (Orders{{0}, {1, 2, 3}}));
}

TEST(ListSchedule, TasksThatEndTogetherEndBeforeTheNextOnesStart) {
  EXPECT_EQ(list_schedule(with_tasks({0, 1, 0, 0}, {1, 1, 1, 1}, {0, 0, 1, 0}, {{}, {}, {}, {1}}), 2),
            (Orders{{0, 3, 2}, {1}}));
}

TEST(ListSchedule, RefusesACycle) {
  EXPECT_THROW(list_schedule(with_tasks({0, 0}, {1, 1}, {0, 0}, {{1}, {0}}), 1), ContractBreach);
}

TEST(ListSchedule, NoTasksAreNoOrders) {
  EXPECT_EQ(list_schedule({}, 2), (Orders{{}, {}}));
}

// Does the same by checking every task at every instant; durations are whole numbers of at least 1.
Orders by_the_clock(const Tasks& tasks, std::uint32_t ranks) {
  const std::size_t n = tasks.rank.size();
  std::vector<double> end(n, INFINITY);
  std::vector<bool> started(n, false);
  std::vector<double> free_at(ranks, 0);
  Orders orders(ranks);
  for (double now = 0; std::count(started.begin(), started.end(), false) > 0; ++now) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      if (free_at[rank] > now) continue;
      std::optional<std::uint32_t> best;
      for (std::uint32_t task = 0; task < n; ++task) {
        if (started[task] || tasks.rank[task].index() != rank) continue;
        bool ready = true;
        for (std::uint32_t i = tasks.after.row[task]; i < tasks.after.row[task + 1]; ++i) {
          ready = ready && end[tasks.after.predecessors[i]] <= now;
        }
        if (ready && (!best || tasks.priority[task] < tasks.priority[*best])) best = task;
      }
      if (!best) continue;
      started[*best] = true;
      end[*best] = free_at[rank] = now + tasks.duration[*best].value();
      orders[rank].push_back(*best);
    }
  }
  return orders;
}

RC_GTEST_PROP(ListScheduleProperty, EqualsTheDefinition, ()) {
  const auto ranks = *rc::gen::inRange<std::uint32_t>(1, 5);
  const auto n = *rc::gen::inRange<std::uint32_t>(0, 40);
  Tasks tasks;
  for (std::uint32_t task = 0; task < n; ++task) {
    tasks.rank.emplace_back(*rc::gen::inRange<std::uint32_t>(0, ranks));
    tasks.duration.emplace_back(*rc::gen::inRange(1, 4));
    tasks.priority.push_back(*rc::gen::inRange<std::uint64_t>(0, 6));
    tasks.after.add(task == 0 ? std::vector<std::uint32_t>{}
                              : *rc::gen::unique<std::vector<std::uint32_t>>(
                                    *rc::gen::inRange(0, 1 + static_cast<int>(std::min(task, 3U))),
                                    rc::gen::inRange<std::uint32_t>(0, task)));
  }
  RC_ASSERT(list_schedule(tasks, ranks) == by_the_clock(tasks, ranks));
}

}  // namespace
}  // namespace spillway
