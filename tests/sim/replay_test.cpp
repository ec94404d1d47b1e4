// The replay as an engine: joined replicas, repeated runs on one engine, and one fabric after another.
#include "sim/replay.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <vector>

#include "small_cluster.h"
#include "support/pipelines.h"

namespace spillway::testing {
namespace {

TEST(Replay, AJoinedEventStartsWhenItsLastReplicaIsReadyAndRunsOnAll) {
  Replay replay(Fabric{{1, 1, 4}});
  HandOrder order(1, 4);
  const auto before = order.compute(0, Seconds(1));
  const auto pair = order.compute(0, Seconds(10), 2);
  const auto all = order.compute(0, Seconds(100), 4);
  const auto after = order.compute(0, Seconds(1));
  order.on_replica(before, 1, Seconds(3));
  order.on_replica(before, 2, Seconds(5));
  order.edge(before, pair);
  order.edge(pair, all);
  order.edge(all, after);
  const auto run = std::move(order).run(replay);
  for (const std::uint32_t lane : {0u, 1u}) EXPECT_DOUBLE_EQ(run.start(pair, lane), 3);
  for (const std::uint32_t lane : {2u, 3u}) EXPECT_DOUBLE_EQ(run.start(pair, lane), 5);
  for (const std::uint32_t lane : {0u, 1u, 2u, 3u}) {
    EXPECT_DOUBLE_EQ(run.start(all, lane), 15);
    EXPECT_DOUBLE_EQ(run.end(after, lane), 116);
  }
}

// Six replicas join in groups of two, then in groups of three, and neither kind nests in the other.
TEST(Replay, JoinedGroupsMayOverlap) {
  Replay replay(Fabric{{1, 1, 6}});
  HandOrder order(1, 6);
  const auto pairs = order.compute(0, Seconds(1), 2);
  const auto triples = order.compute(0, Seconds(1), 3);
  order.on_replica(pairs, 2, Seconds(4));
  order.on_replica(pairs, 3, Seconds(4));
  order.edge(pairs, triples);
  const auto run = std::move(order).run(replay);
  for (std::uint32_t lane = 0; lane < 6; ++lane) EXPECT_DOUBLE_EQ(run.start(triples, lane), 4);
}

// Two replicas reduce over the NICs of a node while each sends to another node. The larger of their two
// payloads decides how long the reduction and the sends take, whichever replica has it.
TEST(Replay, JoinedReplicasSendWhatTheLargestOfThemHas) {
  Replay replay(Fabric{{2, 1, 2}, 2, small_cluster()});
  const auto ends = [&](double first, double second) {
    HandOrder order(2, 2);
    const auto reduce = order.reduce(Group::DataGroup, 0, Seconds(1), 0);
    order.carries_on_replica(reduce, 0, first);
    order.carries_on_replica(reduce, 1, second);
    const auto send = order.send(0, 1, Seconds(1), 70e9);
    const auto run = std::move(order).run(replay);
    return std::pair(run.end(reduce), run.end(send));
  };
  const auto even = ends(80e9, 80e9);
  EXPECT_GT(even.first, 1.1);  // they share a port
  for (const double less : {10e9, 40e9})
    for (const auto& [first, second] : {std::pair(80e9, less), std::pair(less, 80e9)}) {
      EXPECT_NEAR(ends(first, second).first, even.first, 1e-9);
      EXPECT_NEAR(ends(first, second).second, even.second, 1e-9);
    }
}

TEST(Replay, RunsOnOneEngineAreAlike) {
  const Derived derived = uniform("1f1b", 4, 16);
  const Prices prices =
      price(derived, GivenCostModel(uniform_costs(0.0181, 0.0173, 0.0091, 0.0006), derived));
  Replay replay(Fabric{{8, 1, 2}});  // a pipeline need not fill its fabric
  const Timeline first = replay.run(derived, prices);
  for (int again = 0; again < 20; ++again) {
    const Timeline next = replay.run(derived, prices);
    for (std::size_t i = 0; i < first.end.flat().size(); ++i) {
      ASSERT_NEAR(next.end.flat()[i].value(), first.end.flat()[i].value(), 1e-9 * first.makespan().value());
    }
  }
}

// Adds two flows that leave rank 0's NIC at once; each alone takes half of `length`. Returns the second.
std::uint32_t shared_for(Seconds length, HandOrder& order) {
  const double bytes = length.value() / 2 * 100e9;
  order.send(0, 2, length / 2, bytes);
  return order.send(0, 3, length / 2, bytes);
}

// Advances SimGrid's clock by `length`, since it runs while flows share links.
void move_clock(Seconds length, Replay& replay) {
  HandOrder order(16);
  const auto last = shared_for(length, order);
  EXPECT_NEAR(std::move(order).run(replay).end(last), length.value(), 1e-9 * length.value());
}

// A clock at 11 days resolves 1e-10 s; the short run is played in slow motion.
TEST(Replay, AShortRunAfterALongOneIsAsExact) {
  Replay replay(Fabric{{16, 1, 1}, 1, small_cluster()});
  for (int again = 0; again < 3; ++again) {
    move_clock(Seconds(1e6), replay);
    HandOrder order(16);
    const auto work = order.compute(1, microseconds(3));
    const auto send = order.send(1, 2, microseconds(2), 1e5);
    const auto shared = shared_for(microseconds(10), order);
    order.edge(work, send);
    const auto run = std::move(order).run(replay);
    EXPECT_NEAR(run.end(work), 3e-6, 3e-15);
    EXPECT_NEAR(run.end(send), 6e-6, 6e-15);  // half the rate from 4e-6 on: another flow enters rank 2
    EXPECT_NEAR(run.end(shared), 10e-6, 10e-15);
  }
}

// The clock rounds each date, by up to 3.6e-12 s at ten hours. It rounds similar dates in the same direction,
// so the error of thousands of them adds up.
TEST(Replay, ManyShortDatesAfterALongRunAreAsExact) {
  Replay replay(Fabric{{16, 1, 1}, 1, small_cluster()});
  move_clock(Seconds(36e3), replay);
  HandOrder order(16);
  order.compute(1, Seconds(0.06));
  std::uint32_t last = shared_for(microseconds(30), order);
  for (int i = 1; i < 2000; ++i) {
    const auto next = shared_for(microseconds(30), order);
    order.edge(last, next - 1);
    order.edge(last, next);
    last = next;
  }
  EXPECT_NEAR(std::move(order).run(replay).end(last), 0.06, 0.06e-9);
}

// A run is rounded as in a new process, however many runs came before, and the clock does not run away.
TEST(Replay, ARunIsTheSameToTheLastDigitWhateverWasRunBefore) {
  Replay replay(Fabric{{16, 1, 1}, 1, small_cluster()});
  const auto short_run = [&] {
    HandOrder order(16);
    const auto last = shared_for(Seconds(1e-5 / 3), order);
    return std::move(order).run(replay).end(last);
  };
  const double first = short_run();
  for (int run = 0; run < 1000; ++run) {
    move_clock(Seconds(1e6 / 7), replay);
    ASSERT_EQ(short_run(), first) << run;
  }
}

// SimGrid would end the process by a list of its own actors when a user interrupts it.
TEST(Replay, LeavesTheSignalsOfTheProcessAlone) {
  const auto handlers = [] {
    std::vector<void (*)(int)> all;
    for (const int signal : {SIGINT, SIGSEGV, SIGBUS}) {
      struct sigaction now {};
      sigaction(signal, nullptr, &now);
      all.push_back(now.sa_handler);
    }
    return all;
  };
  const auto before = handlers();
  Replay replay(Fabric{{16, 1, 1}, 1, small_cluster()});
  HandOrder order(16);
  const auto last = shared_for(Seconds(1), order);
  EXPECT_NEAR(std::move(order).run(replay).end(last), 1, 1e-9);
  EXPECT_EQ(handlers(), before);
}

TEST(Replay, FabricsMayFollowEachOther) {
  for (const std::uint32_t ranks : {2u, 4u, 16u}) {
    Replay replay(Fabric{{ranks, 1, 1}, 1, small_cluster()});
    HandOrder order(ranks);
    const auto send = order.send(0, ranks - 1, Seconds(2), 1e9);
    EXPECT_NEAR(std::move(order).run(replay).end(send), 2, 2e-9);
  }
}

TEST(Replay, OnlyOneMayExistAtATime) {
  Replay replay(Fabric{{1, 1, 1}});
  EXPECT_THROW(Replay(Fabric{{1, 1, 1}}), ContractBreach);
}

TEST(Replay, RefusesAPipelineLargerThanItsFabric) {
  const Derived derived = uniform("1f1b", 4, 4);
  Replay replay(Fabric{{3, 1, 1}});
  EXPECT_THROW(replay.run(derived, price(derived, GivenCostModel(uniform_costs(1, 1, 1), derived))),
               ContractBreach);
}

TEST(Replay, APlatformMustHaveADeviceForEveryMember) {
  EXPECT_THROW(Replay(Fabric{{16, 1, 1}, 2, small_cluster()}), ContractBreach);
}

}  // namespace
}  // namespace spillway::testing
