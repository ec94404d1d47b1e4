#include "sim/flows.h"

#include "base/error.h"

namespace spillway {
namespace {

void counterparts(const Event& event, ReplicaId first, const DeviceGrid& grid, std::vector<Flow>& flows) {
  if (event.rank == event.peer_rank) return;
  for (std::uint32_t i = 0; i < event.joined_replicas; ++i) {
    const ReplicaId replica(first.index() + i);
    for (std::uint32_t member = 0; member < grid.members; ++member) {
      flows.push_back(
          {grid.device(event.rank, replica, member), grid.device(event.peer_rank, replica, member)});
    }
  }
}

// One member's ring over `ranks` ranks, `stride` apart, and replicas [first, first + replicas), rank by rank.
struct MemberRing {
  RankId rank;
  std::uint32_t ranks;
  std::int64_t stride;
  ReplicaId first;
  std::uint32_t replicas;
  std::uint32_t member;

  std::uint32_t size() const { return ranks * replicas; }
  DeviceId at(std::uint32_t i, const DeviceGrid& grid) const {
    const RankId holder(static_cast<std::uint32_t>(rank.index() + stride * (i / replicas)));
    return grid.device(holder, ReplicaId(first.index() + i % replicas), member);
  }
};

void round(const MemberRing& ring, const DeviceGrid& grid, std::vector<Flow>& flows) {
  if (ring.size() < 2) return;
  for (std::uint32_t i = 0; i < ring.size(); ++i) {
    flows.push_back({ring.at(i, grid), ring.at((i + 1) % ring.size(), grid)});
  }
}

MemberRing ring_of(const Event& event, ReplicaId first, const DeviceGrid& grid, std::uint32_t member) {
  const std::uint32_t replicas = event.joined_replicas;
  if (event.group == Group::ReplicaGroup) return {RankId(0), grid.ranks, 1, first, replicas, member};
  const std::int64_t apart = std::int64_t{event.peer_rank.index()} - event.rank.index();
  return {event.rank, apart == 0 ? 1U : 2U, apart, first, replicas, member};
}

}  // namespace

void flows_of(const Event& event, ReplicaId first, const DeviceGrid& grid, std::vector<Flow>& flows) {
  ensure(event.communicates(), "only communication events have flows");
  flows.clear();
  if (event.kind == EventKind::Collective) return counterparts(event, first, grid, flows);
  for (std::uint32_t member = 0; member < grid.members; ++member) {
    round(ring_of(event, first, grid, member), grid, flows);
  }
}

}  // namespace spillway
