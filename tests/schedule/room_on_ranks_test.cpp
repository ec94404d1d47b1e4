// Lists within room: no rank ever holds more than it has, and no rank waits for ever.
#include "schedule/room_on_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/property.h"

namespace spillway {
namespace {

// Two ranks, of which each has the first and the last stage of a way there and back: forwards take 1, and
// backwards give it back.
Tasks to_and_fro(std::uint32_t microbatches, double room) {
  Tasks tasks;
  tasks.room.of_rank = {Bytes(room), Bytes(room)};
  const std::vector<std::uint32_t> ranks = {0, 1, 1, 0, 0, 1, 1, 0};
  for (std::uint32_t m = 0; m < microbatches; ++m)
    for (std::uint32_t stage = 0; stage < 8; ++stage) {
      const bool forward = stage < 4;
      tasks.rank.emplace_back(ranks[stage]);
      tasks.duration.emplace_back(1);
      tasks.priority.push_back(forward ? 0 : 1);  // as many forwards as there is room for
      tasks.after.add(stage == 0 ? std::vector<std::uint32_t>{}
                                 : std::vector<std::uint32_t>{8 * m + stage - 1});
      tasks.room.at_start.emplace_back(forward ? 1 : 0);
      tasks.room.meanwhile.emplace_back(0);
      tasks.room.at_end.emplace_back(forward ? 0 : -1);
      tasks.room.group.push_back(m);
    }
  return tasks;
}

// The most that a rank holds in its order.
Bytes most_held(const Tasks& tasks, const std::vector<std::uint32_t>& order) {
  Bytes held, most;
  for (const std::uint32_t task : order) {
    held += tasks.room.at_start[task];
    most = std::max(most, held + tasks.room.meanwhile[task]);
    held += tasks.room.at_end[task];
  }
  return most;
}

// Room for three: two microbatches could take their first two forwards each, and then none could go on.
TEST(RoomOnRanks, LeavesRoomToTheOldestMicrobatch) {
  for (const double room : {2.0, 3.0, 5.0}) {
    const Tasks tasks = to_and_fro(6, room);
    for (const auto& order : list_schedule(tasks, 2)) {
      EXPECT_EQ(order.size(), 24U);
      EXPECT_EQ(most_held(tasks, order), Bytes(room));
    }
  }
}

// Not even one microbatch has room. Its passes run all the same, and hold too much.
TEST(RoomOnRanks, ATaskThatNeverHasRoomStartsWithoutIt) {
  const Tasks tasks = to_and_fro(2, 1);
  for (const auto& order : list_schedule(tasks, 2)) {
    EXPECT_EQ(order.size(), 8U);
    EXPECT_GE(most_held(tasks, order), Bytes(2));
  }
}

// Random pipelines: stages on any ranks, and room for at least one microbatch.
RC_GTEST_PROP(RoomOnRanksProperty, NoRankHoldsMoreThanItHas, ()) {
  const auto ranks = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto stages = *rc::gen::inRange<std::uint32_t>(1, 6);
  const auto microbatches = *rc::gen::inRange<std::uint32_t>(1, 8);
  Tasks tasks;
  std::vector<double> needed(ranks), most_meanwhile(ranks);
  std::vector<std::uint32_t> on;
  std::vector<double> takes, meanwhile;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    on.push_back(*rc::gen::inRange<std::uint32_t>(0, ranks));
    takes.push_back(*rc::gen::inRange(0, 4));
    meanwhile.push_back(*rc::gen::inRange(0, 3));
    needed[on.back()] += takes.back();
    most_meanwhile[on.back()] = std::max(most_meanwhile[on.back()], meanwhile.back());
  }
  for (std::uint32_t m = 0; m < microbatches; ++m)
    for (std::uint32_t pass = 0; pass < 2 * stages; ++pass) {
      const bool forward = pass < stages;
      const std::uint32_t stage = forward ? pass : 2 * stages - 1 - pass;
      tasks.rank.emplace_back(on[stage]);
      tasks.duration.emplace_back(*rc::gen::inRange(1, 5));
      tasks.priority.push_back(*rc::gen::inRange<std::uint64_t>(0, 9));
      tasks.after.add(pass == 0 ? std::vector<std::uint32_t>{}
                                : std::vector<std::uint32_t>{2 * stages * m + pass - 1});
      tasks.room.at_start.emplace_back(forward ? takes[stage] : 0);
      tasks.room.meanwhile.emplace_back(forward ? 0 : meanwhile[stage]);
      tasks.room.at_end.emplace_back(forward ? 0 : -takes[stage]);
      tasks.room.group.push_back(m);
    }
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    tasks.room.of_rank.emplace_back(needed[rank] + most_meanwhile[rank] + *rc::gen::inRange(0, 6));
  const auto orders = list_schedule(tasks, ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    RC_ASSERT(most_held(tasks, orders[rank]) <= tasks.room.of_rank[rank]);
}

}  // namespace
}  // namespace spillway
