// SimGrid serves several threads in turn, and repeated replays give the same result.
#include "sim/turn.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "base/error.h"
#include "sim/replay.h"
#include "small_cluster.h"

namespace spillway::testing {
namespace {

// Replays 16 pairs of flows, one after the other; the two flows of a pair leave one port at the same time.
Timeline replayed() {
  HandOrder order(4);
  std::uint32_t before = order.compute(0, Seconds(0.0181));
  for (int i = 1; i <= 16; ++i) {
    for (const std::uint32_t to : {2u, 3u}) {
      const auto send = order.send(0, to, Seconds(0.0173), i * 1e8 / (3 + to));
      order.edge(before, send);
      if (to == 3) before = send;
    }
  }
  Replay replay(Fabric{{4, 1, 1}, 1, small_cluster()});
  return std::move(order).run(replay).timeline;
}

bool equal(const Timeline& a, const Timeline& b) {
  return std::ranges::equal(a.end.flat(), b.end.flat()) && std::ranges::equal(a.start.flat(), b.start.flat());
}

TEST(SimGridTurn, AReplayGivesTheSameToTheLastDigit) {
  const Timeline first = replayed();
  for (int again = 0; again < 20; ++again) EXPECT_TRUE(equal(replayed(), first));
}

TEST(SimGridTurn, OneReplayAtATime) {
  const SimGridTurn turn;
  const Replay replay(Fabric{{4, 1, 1}});
  EXPECT_THROW(Replay(Fabric{{4, 1, 1}}), ContractBreach);
}

TEST(SimGridTurn, ThreadsWaitForEachOther) {
  const Timeline alone = replayed();
  std::vector<std::thread> threads;
  std::vector<int> same(8, 0);
  for (int& each : same)
    threads.emplace_back([&] {
      SimGridTurn turn;
      each = equal(replayed(), alone);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(8, 1));
}

TEST(SimGridTurn, AForkedProcessHasItsOwn) {
  SimGridTurn turn;
  const pid_t child = fork();
  if (child == 0) _exit(replayed().makespan() > Seconds(0) ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace spillway::testing
