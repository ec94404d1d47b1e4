// flows_of lists an event's flows, device by device.
#include "sim/flows/flows.h"

#include <gtest/gtest.h>

namespace spillway::testing {
namespace {

std::vector<Flow> flows(const Event& event, std::uint32_t first, const DeviceGrid& grid) {
  std::vector<Flow> found;
  flows_of(event, ReplicaId(first), grid, found);
  return found;
}

Flow flow(std::uint32_t from, std::uint32_t to) {
  return {DeviceId(from), DeviceId(to)};
}

Event send(std::uint32_t from, std::uint32_t to) {
  Event event{};
  event.kind = EventKind::Collective;
  event.rank = RankId(from);
  event.peer_rank = RankId(to);
  return event;
}

Event reduce(Group group, std::uint32_t rank, std::uint32_t replicas) {
  Event event{};
  event.kind = EventKind::DpReduce;
  event.group = group;
  event.rank = event.peer_rank = RankId(rank);
  event.joined_replicas = replicas;
  return event;
}

// 2 ranks x 3 replicas x 2 members: rank 0 has devices 0-5, rank 1 has 6-11; replica 1 of rank 0 has 2 and 3.
constexpr DeviceGrid kGrid{2, 3, 2};

TEST(Flows, EachMemberSendsToItsCounterpart) {
  EXPECT_EQ(flows(send(0, 1), 1, kGrid), (std::vector{flow(2, 8), flow(3, 9)}));
  EXPECT_EQ(flows(send(1, 0), 0, kGrid), (std::vector{flow(6, 0), flow(7, 1)}));
}

TEST(Flows, NothingMovesBetweenARankAndItself) {
  EXPECT_TRUE(flows(send(1, 1), 0, kGrid).empty());
}

TEST(Flows, AJoinedTransferMovesOnEachOfItsReplicas) {
  Event event = send(0, 1);
  event.joined_replicas = 3;
  EXPECT_EQ(flows(event, 0, kGrid),
            (std::vector{flow(0, 6), flow(1, 7), flow(2, 8), flow(3, 9), flow(4, 10), flow(5, 11)}));
}

TEST(Flows, DataGroupIsOneRingPerMemberOverTheReplicas) {
  EXPECT_EQ(flows(reduce(Group::DataGroup, 1, 3), 0, kGrid),
            (std::vector{flow(6, 8), flow(8, 10), flow(10, 6), flow(7, 9), flow(9, 11), flow(11, 7)}));
}

TEST(Flows, ACopyOnAnotherRankJoinsTheRing) {
  Event event = reduce(Group::DataGroup, 1, 2);
  event.peer_rank = RankId(0);
  EXPECT_EQ(flows(event, 0, DeviceGrid{2, 2, 1}),
            (std::vector{flow(2, 3), flow(3, 0), flow(0, 1), flow(1, 2)}));
}

TEST(Flows, ReplicaGroupIsOneRingPerMemberOverEveryRankAndReplica) {
  EXPECT_EQ(flows(reduce(Group::ReplicaGroup, 0, 2), 0, DeviceGrid{2, 2, 1}),
            (std::vector{flow(0, 1), flow(1, 2), flow(2, 3), flow(3, 0)}));
}

TEST(Flows, AGroupOfOneHasNone) {
  EXPECT_TRUE(flows(reduce(Group::DataGroup, 0, 1), 0, DeviceGrid{2, 1, 2}).empty());
  EXPECT_TRUE(flows(reduce(Group::ReplicaGroup, 0, 1), 0, DeviceGrid{1, 1, 2}).empty());
}

}  // namespace
}  // namespace spillway::testing
