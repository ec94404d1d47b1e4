#include "sim/flows/flows.h"

#include "base/error.h"

namespace spillway {
namespace {

void counterparts(const Event& event, ReplicaId first, const RankDevices& devices, std::vector<Flow>& flows) {
  if (event.rank == event.peer_rank) return;
  const std::uint32_t senders = devices.members(event.rank), receivers = devices.members(event.peer_rank),
                      parts = flows_between(devices, event.rank, event.peer_rank);
  for (std::uint32_t i = 0; i < event.joined_replicas; ++i) {
    const ReplicaId replica(first.index() + i);
    for (std::uint32_t part = 0; part < parts; ++part)
      flows.push_back({devices.device(event.rank, replica, part * senders / parts),
                       devices.device(event.peer_rank, replica, part * receivers / parts)});
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
  DeviceId at(std::uint32_t i, const RankDevices& devices) const {
    const RankId holder(static_cast<std::uint32_t>(rank.index() + stride * (i / replicas)));
    return devices.device(holder, ReplicaId(first.index() + i % replicas), member);
  }
};

// The last member of an open ring passes nothing on.
void round(const MemberRing& ring, bool closed, const RankDevices& devices, std::vector<Flow>& flows) {
  if (ring.size() < 2) return;
  for (std::uint32_t i = 0; i + (closed ? 0 : 1) < ring.size(); ++i) {
    flows.push_back({ring.at(i, devices), ring.at((i + 1) % ring.size(), devices)});
  }
}

MemberRing ring_of(const Event& event, ReplicaId first, const RankDevices& devices, std::uint32_t member) {
  const std::uint32_t replicas = event.joined_replicas;
  if (event.group == Group::ReplicaGroup) return {RankId(0), devices.ranks(), 1, first, replicas, member};
  if (event.group == Group::CopyGroup) return {event.rank, event.holders(), 1, first, replicas, member};
  const std::int64_t apart = std::int64_t{event.peer_rank.index()} - event.rank.index();
  return {event.rank, apart == 0 ? 1U : 2U, apart, first, replicas, member};
}

}  // namespace

void flows_of(const Event& event, ReplicaId first, const RankDevices& devices, std::vector<Flow>& flows) {
  ensure(event.communicates(), "only communication events have flows");
  flows.clear();
  if (event.kind == EventKind::Collective) return counterparts(event, first, devices, flows);
  for (std::uint32_t member = 0; member < devices.members(event.rank); ++member) {
    round(ring_of(event, first, devices, member), event.kind == EventKind::DpReduce, devices, flows);
  }
}

}  // namespace spillway
