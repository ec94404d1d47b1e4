// SimGrid from several threads, and again as from the start.
#include "sim/turn.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "base/error.h"
#include "sim/replay.h"
#include "support/pipelines.h"

namespace spillway::testing {
namespace {

Timeline replayed() {
  const Derived derived = uniform("1f1b", 4, 16);
  const Prices prices =
      price(derived, GivenCostModel(uniform_costs(0.0181, 0.0173, 0.0091, 0.0006), derived));
  return Replay(Fabric{{4, 1, 1}}).run(derived, prices);
}

bool equal(const Timeline& a, const Timeline& b) {
  return std::ranges::equal(a.end.flat(), b.end.flat()) && std::ranges::equal(a.start.flat(), b.start.flat());
}

// Without the restart the second one rounds otherwise: that is what there is to restart.
TEST(SimGridTurn, ARestartedClockGivesTheSameToTheLastDigit) {
  SimGridTurn turn;
  turn.restart_clock();
  const Timeline first = replayed();
  EXPECT_FALSE(equal(replayed(), first));
  turn.restart_clock();
  EXPECT_TRUE(equal(replayed(), first));
}

TEST(SimGridTurn, IsNotRestartedUnderAReplay) {
  SimGridTurn turn;
  const Replay replay(Fabric{{4, 1, 1}});
  EXPECT_THROW(turn.restart_clock(), ContractBreach);
  EXPECT_THROW(Replay(Fabric{{4, 1, 1}}), ContractBreach);
}

TEST(SimGridTurn, ThreadsWaitForEachOther) {
  SimGridTurn().restart_clock();
  const Timeline alone = replayed();
  std::vector<std::thread> threads;
  std::vector<int> same(8, 0);
  for (int& each : same)
    threads.emplace_back([&] {
      SimGridTurn turn;
      turn.restart_clock();
      each = equal(replayed(), alone);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(8, 1));
}

TEST(SimGridTurn, AForkedProcessHasItsOwn) {
  SimGridTurn turn;
  turn.restart_clock();
  const pid_t child = fork();
  if (child == 0) _exit(replayed().makespan() > Seconds(0) ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace spillway::testing
