// A cluster must not use the routes that it keeps for one event for a different one.
#include <gtest/gtest.h>

#include <vector>

#include "sim/cluster.h"
#include "small_cluster.h"
#include "support/pipelines.h"

namespace spillway::testing {
namespace {

constexpr std::uint32_t kRanks = 4, kReplicas = 4;

const Channel* channel(Cluster& cluster, const Event& event) {
  const auto sending = cluster.sending(event, ReplicaId(0), Seconds(1), Bytes(1));
  return sending ? sending->channel : nullptr;
}

std::size_t flows(Cluster& cluster, const Event& event) {
  const Channel* used = channel(cluster, event);
  return used ? used->routes.size() : 0;
}

// An event has as many flows on a cluster that serves all events, in either order, as on its own cluster.
TEST(Channels, AreOfTheEventWhateverWasSentBefore) {
  const std::vector<Event> events = {
      {.kind = EventKind::DpReduce, .joined_replicas = 1},
      {.kind = EventKind::DpReduce, .joined_replicas = 2},
      {.kind = EventKind::DpReduce, .joined_replicas = 4},
      {.kind = EventKind::DpReduce, .group = Group::ReplicaGroup, .joined_replicas = 1},
      {.kind = EventKind::Broadcast, .group = Group::ReplicaGroup, .joined_replicas = 1},
      {.kind = EventKind::DpReduce, .group = Group::ReplicaGroup, .joined_replicas = 4},
      {.kind = EventKind::DpReduce, .group = Group::CopyGroup, .peer_rank = RankId(2)},
      {.kind = EventKind::Broadcast, .group = Group::CopyGroup, .peer_rank = RankId(2)},
      {.kind = EventKind::Collective, .peer_rank = RankId(2), .joined_replicas = 1},
      {.kind = EventKind::Collective, .peer_rank = RankId(2), .joined_replicas = 4}};
  const Fabric fabric{{kRanks, 1, kReplicas}, 1, small_cluster()};
  const auto alone = [&](const Event& event) {
    Cluster cluster(fabric);
    return flows(cluster, event);
  };
  Cluster up(fabric), down(fabric);
  for (const Event& event : events) EXPECT_EQ(flows(up, event), alone(event));
  for (std::size_t i = events.size(); i-- > 0;) EXPECT_EQ(flows(down, events[i]), alone(events[i]));
}

TEST(Channels, ServeEveryStageAndMicrobatchBetweenTwoRanks) {
  Cluster cluster(Fabric{{kRanks, 1, kReplicas}, 1, small_cluster()});
  const auto sent = [&](std::uint32_t stage, std::uint32_t microbatch) {
    return channel(cluster, {.kind = EventKind::Collective,
                             .stage = StageId(stage),
                             .peer_rank = RankId(1),
                             .microbatch = MicrobatchId(microbatch)});
  };
  EXPECT_NE(sent(0, 0), nullptr);
  EXPECT_EQ(sent(0, 0), sent(2, 7));
}

}  // namespace
}  // namespace spillway::testing
