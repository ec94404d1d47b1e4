// Flows on links, against alpha + n * beta and max-min sharing computed by hand on small_cluster.h.
#include <gtest/gtest.h>

#include "small_cluster.h"
#include "support/tolerance.h"

namespace spillway::testing {
namespace {

constexpr double kGiga = 1e9;
Fabric fabric(std::uint32_t ranks, std::uint32_t replicas = 1, std::uint32_t members = 1) {
  return {{ranks, 1, replicas}, members, small_cluster()};
}

void expect_time(double found, double expected) {
  EXPECT_NEAR(found, expected, kRelative * expected);
}

// For a run with an event that lasts `longest`: the engine's clock resolves a run by its longest event
// (sim/simgrid/clock.h).
void expect_time(double found, double expected, double longest) {
  EXPECT_NEAR(found, expected, kRelative * longest);
}

Seconds alone(double latency_us, double bytes, double rate) {
  return Seconds(latency_us * 1e-6 + bytes / (rate * kGiga));
}

TEST(Sharing, OneFlowAloneTakesAlphaPlusNBetaOnEveryTier) {
  Replay replay(fabric(16));
  struct Pair {
    std::uint32_t to;
    double latency_us;
    double rate;
  };
  for (const Pair pair :
       {Pair{1, 0.5, 200}, Pair{2, 1, 100}, Pair{3, 1, 100}, Pair{4, 10, 80}, Pair{15, 10, 80}}) {
    for (const double bytes : {1.0, 4096.0, 123456789.0, 1e12 / 3}) {
      HandOrder order(16);
      const auto send = order.send(0, pair.to, alone(pair.latency_us, bytes, pair.rate), bytes);
      expect_time(std::move(order).run(replay).end(send),
                  pair.latency_us * 1e-6 + bytes / (pair.rate * kGiga));
    }
  }
}

TEST(Sharing, TwoFlowsOutOfOnePortTakeTwiceAsLong) {
  Replay replay(fabric(4));
  HandOrder order(4);
  const auto a = order.send(0, 2, alone(1, kGiga, 100), kGiga);
  const auto b = order.send(0, 3, alone(1, kGiga, 100), kGiga);
  const auto run = std::move(order).run(replay);
  expect_time(run.end(a), 1e-6 + 2 * 0.01);
  expect_time(run.end(b), 1e-6 + 2 * 0.01);
}

TEST(Sharing, TwoFlowsIntoOnePortTakeTwiceAsLong) {
  Replay replay(fabric(4));
  HandOrder order(4);
  const auto a = order.send(2, 0, alone(1, kGiga, 100), kGiga);
  const auto b = order.send(3, 0, alone(1, kGiga, 100), kGiga);
  const auto run = std::move(order).run(replay);
  expect_time(run.end(a), 1e-6 + 2 * 0.01);
  expect_time(run.end(b), 1e-6 + 2 * 0.01);
}

// The die port carries 300 GB/s and a pair gets 200, so two flows get 150 each. A package has one pair, so
// both flows are messages to the same neighbour.
TEST(Sharing, APairsBandwidthCapsAFlowAndThePortsTheirSum) {
  Replay replay(fabric(2));
  HandOrder order(2);
  const auto a = order.send(0, 1, alone(0.5, kGiga, 200), kGiga);
  const auto b = order.send(0, 1, alone(0.5, kGiga, 200), kGiga);
  const auto run = std::move(order).run(replay);
  expect_time(run.end(a), 0.5e-6 + 1 / 150.0);
  expect_time(run.end(b), 0.5e-6 + 1 / 150.0);
}

// Three flows leave the NIC, capped at 80, 80 and 100 GB/s. Each gets a third of 100.
TEST(Sharing, FlowsOverDifferentTiersShareTheirPort) {
  Replay replay(fabric(16));
  HandOrder order(16);
  const auto a = order.send(0, 4, alone(10, kGiga, 80), kGiga);
  const auto b = order.send(0, 8, alone(10, kGiga, 80), kGiga);
  const auto c = order.send(0, 2, alone(10, kGiga, 100), kGiga);
  const auto run = std::move(order).run(replay);
  for (const auto event : {a, b, c}) expect_time(run.end(event), 10e-6 + 3 * 0.01);
}

// Shares are equal though one latency is ten times the other. The near flow is alone for 9 us and moves
// 0.9 MB; then each flow gets 50 GB/s. The near flow moves its last 0.1 MB in 2 us. The far flow moves 0.1 MB
// in that time and the other 0.9 MB at its pair's 80 GB/s, in 11.25 us.
TEST(Sharing, LatencyDoesNotWeighShares) {
  Replay replay(fabric(16));
  HandOrder order(16);
  const auto near = order.send(0, 2, alone(1, 1e6, 100), 1e6);
  const auto far = order.send(0, 4, alone(10, 1e6, 80), 1e6);
  const auto run = std::move(order).run(replay);
  expect_time(run.end(near), 12e-6);
  expect_time(run.end(far), 23.25e-6);
}

TEST(Sharing, FlowsOfDifferentDevicesPortsAndDirectionsDoNotDisturbEachOther) {
  Replay replay(fabric(8));
  HandOrder order(8);
  const auto nic = order.send(0, 2, alone(1, kGiga, 100), kGiga);
  const auto die = order.send(0, 1, alone(0.5, kGiga, 200), kGiga);
  const auto back = order.send(2, 0, alone(1, kGiga, 100), kGiga);
  const auto other = order.send(1, 3, alone(1, kGiga, 100), kGiga);
  const auto run = std::move(order).run(replay);
  for (const auto event : {nic, back, other}) expect_time(run.end(event), 1e-6 + 0.01);
  expect_time(run.end(die), 0.5e-6 + 0.005);
}

TEST(Sharing, WithoutContentionFlowsTakeTheirPrice) {
  Fabric ideal = fabric(4);
  ideal.platform->contention = false;
  Replay replay(ideal);
  HandOrder order(4);
  const auto a = order.send(0, 2, alone(1, kGiga, 100), kGiga);
  const auto b = order.send(0, 3, alone(1, kGiga, 100), kGiga);
  const auto run = std::move(order).run(replay);
  for (const auto event : {a, b}) expect_time(run.end(event), 1e-6 + 0.01);
}

// Software takes 5 ms before the bytes, which occupy and share the link only after that.
TEST(Sharing, WhatAPriceHasBeyondItsFlowIsADelayBeforeIt) {
  Replay replay(fabric(4));
  HandOrder order(4);
  const auto slow = order.send(0, 2, Seconds(5e-3) + alone(1, kGiga, 100), kGiga);
  const auto quick = order.send(0, 3, Seconds(5e-3 - 1e-6) + alone(1, 1.0, 100), 1.0);
  const auto run = std::move(order).run(replay);
  expect_time(run.end(slow), 5e-3 + 1e-6 + 0.01);
  expect_time(run.end(quick), 5e-3 + 1e-11);
}

TEST(Sharing, NoPayloadIsAPureDelayAndNoPriceIsNoTime) {
  Replay replay(fabric(4));
  HandOrder order(4);
  const auto delay = order.send(0, 2, Seconds(0.25), 0);
  const auto flow = order.send(0, 2, alone(1, kGiga, 100), kGiga);
  const auto nothing = order.send(0, 2, Seconds(0), 0);
  order.edge(delay, nothing);
  const auto run = std::move(order).run(replay);
  expect_time(run.end(delay), 0.25);
  expect_time(run.end(flow), 1e-6 + 0.01, 0.25);
  EXPECT_EQ(run.start(nothing), run.end(delay));
  EXPECT_EQ(run.end(nothing), run.end(delay));
}

// Members 0 and 1 of a rank are a package and have a NIC each, so both counterpart flows run at full rate.
TEST(Sharing, MembersHavePortsOfTheirOwn) {
  Replay replay(fabric(2, 1, 2));
  HandOrder order(2);
  const auto send = order.send(0, 1, alone(1, kGiga, 100), kGiga);
  expect_time(std::move(order).run(replay).end(send), 1e-6 + 0.01);
}

// Replicas of rank 0 are devices 0-3: packages 0-1 and 2-3, so the ring's slowest links are the node's.
TEST(Sharing, ARingRunsAtItsSlowestLinkAndDisturbsItselfNowhere) {
  Replay replay(fabric(2, 4));
  HandOrder order(2, 4);
  const auto data = order.reduce(Group::DataGroup, 0, alone(1, kGiga, 100), kGiga);
  const auto replica = order.reduce(Group::ReplicaGroup, 0, alone(10, kGiga, 80), kGiga);
  order.edge(data, replica);
  const auto run = std::move(order).run(replay);
  for (std::uint32_t lane = 0; lane < 4; ++lane) {
    expect_time(run.end(data, lane), 1e-6 + 0.01);
    expect_time(run.end(replica, lane), 1e-6 + 0.01 + 10e-6 + 1 / 80.0);
  }
}

// Replica 1 (device 1) sends to rank 1 over the NIC that carries the ring's flow from device 1 to device 2.
// Each flow gets 50 GB/s. Device 0's part of the ring stays inside its package, so replica 0 sends alone.
TEST(Sharing, ARingSharesItsPortsWithTransfers) {
  Replay replay(fabric(2, 4));
  HandOrder order(2, 4);
  const auto ring = order.reduce(Group::DataGroup, 0, alone(10, 0.8 * kGiga, 100), 0.8 * kGiga);
  const auto send = order.send(0, 1, alone(10, 0.8 * kGiga, 80), 0.8 * kGiga);
  const auto run = std::move(order).run(replay);
  expect_time(run.end(send, 0), 10e-6 + 0.8 / 80);
  expect_time(run.end(send, 1), 10e-6 + 0.8 / 50);
  expect_time(run.end(ring), 10e-6 + 0.8 / 50);
}

}  // namespace
}  // namespace spillway::testing
