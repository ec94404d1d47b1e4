#include "sim/cluster.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

// Injective over the events of one order, in which the kind says how many replicas an event joins: kind and
// group, receiver or copy, sender, first replica.
constexpr int kRankBits = 21, kReplicaBits = 20;

std::uint64_t channel_key(const Event& event, ReplicaId first) {
  const bool reduce = event.kind == EventKind::DpReduce;
  const std::uint64_t kind = reduce ? 1 + static_cast<std::uint64_t>(event.group) : 0;
  const std::uint64_t ranks = std::uint64_t{event.peer_rank.index()} << kRankBits | event.rank.index();
  return kind << (2 * kRankBits + kReplicaBits) | ranks << kReplicaBits | first.index();
}

}  // namespace

Cluster::Cluster(const Fabric& fabric)
    : slots_(fabric.pipeline.ranks * fabric.pipeline.replicas),
      grid_{fabric.pipeline.ranks, fabric.pipeline.replicas, fabric.members} {
  if (fabric.platform && fabric.platform->contention) routes_.emplace(*fabric.platform, grid_.device_count());
}

void Cluster::place(const Pipeline& pipeline) {
  ensure(std::uint64_t{pipeline.ranks} * pipeline.replicas <= slots_,
         "the fabric has a device for every rank and replica");
  ensure(pipeline.ranks >> kRankBits == 0 && pipeline.replicas >> kReplicaBits == 0,
         "channels are told apart by their ranks and replicas");
  if (pipeline.ranks == grid_.ranks && pipeline.replicas == grid_.replicas) return;
  grid_.ranks = pipeline.ranks;
  grid_.replicas = pipeline.replicas;
  channels_.clear();
}

Channel Cluster::open(const Event& event, ReplicaId first) {
  std::vector<Flow> flows;
  flows_of(event, first, grid_, flows);
  const bool reduce = event.kind == EventKind::DpReduce;
  const Routes::Carries carries = reduce ? Routes::Carries::Port : Routes::Carries::Message;
  Channel channel;
  for (const Flow flow : flows) {
    channel.routes.push_back(&routes_->between(flow, carries));
    const BytesPerSecond alone = channel.routes.back()->alone;
    if (channel.routes.size() == 1 || alone < channel.slowest) channel.slowest = alone;
  }
  return channel;
}

const Channel& Cluster::channel(const Event& event, ReplicaId first) {
  const std::uint64_t key = channel_key(event, first);
  const auto found = channels_.find(key);
  if (found != channels_.end()) return found->second;
  return channels_.emplace(key, open(event, first)).first->second;
}

std::optional<Seconds> Cluster::wait_before_flows(const Event& event, ReplicaId first, Seconds price,
                                                  Bytes payload) {
  if (ideal() || payload <= Bytes(0)) return std::nullopt;
  const Channel& used = channel(event, first);
  if (used.routes.empty()) return std::nullopt;
  return std::max(Seconds(0), price - payload / used.slowest);
}

}  // namespace spillway
