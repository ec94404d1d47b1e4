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

// The ring of one member over ranks [rank, rank + ranks) and replicas [first, first + replicas), rank by
// rank.
struct Ring {
  RankId rank;
  std::uint32_t ranks;
  ReplicaId first;
  std::uint32_t replicas;
  std::uint32_t member;

  std::uint32_t size() const { return ranks * replicas; }
  DeviceId at(std::uint32_t i, const DeviceGrid& grid) const {
    return grid.device(RankId(rank.index() + i / replicas), ReplicaId(first.index() + i % replicas), member);
  }
};

void round(const Ring& ring, const DeviceGrid& grid, std::vector<Flow>& flows) {
  if (ring.size() < 2) return;
  for (std::uint32_t i = 0; i < ring.size(); ++i) {
    flows.push_back({ring.at(i, grid), ring.at((i + 1) % ring.size(), grid)});
  }
}

}  // namespace

void flows_of(const Event& event, ReplicaId first, const DeviceGrid& grid, std::vector<Flow>& flows) {
  ensure(event.communicates(), "only communication events have flows");
  flows.clear();
  if (event.kind == EventKind::Collective) return counterparts(event, first, grid, flows);
  const bool every_rank = event.group == Group::ReplicaGroup;
  for (std::uint32_t member = 0; member < grid.members; ++member) {
    round({every_rank ? RankId(0) : event.rank, every_rank ? grid.ranks : 1, first, event.joined_replicas,
           member},
          grid, flows);
  }
}

}  // namespace spillway
