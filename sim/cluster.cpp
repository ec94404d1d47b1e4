#include "sim/cluster.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

// Tolerance for rounding when a price is compared with the time of a flow.
constexpr double kJustAsFast = 1 + 1e-9;

}  // namespace

Cluster::Cluster(const Fabric& fabric)
    : slots_(std::max(fabric.slots, fabric.pipeline.ranks * fabric.pipeline.replicas)),
      members_(fabric.members),
      replicas_(fabric.pipeline.replicas),
      at_(DeviceGrid{fabric.pipeline.ranks, fabric.pipeline.replicas, fabric.members}) {
  const auto [ranks, microbatches, replicas] = fabric.pipeline;
  if (fabric.platform && fabric.platform->contention)
    routes_.emplace(*fabric.platform, DeviceGrid{ranks, replicas, fabric.members}.device_count());
}

void Cluster::place(const Outline& outline) {
  const Pipeline& pipeline = outline.pipeline;
  ensure(std::uint64_t{pipeline.ranks} * pipeline.replicas <= slots_,
         "the fabric has a device for every rank and replica");
  RankDevices wanted = rank_devices(outline, members_);
  if (pipeline.replicas == replicas_ && wanted == at_) return;
  at_ = std::move(wanted);
  replicas_ = pipeline.replicas;
  channels_.clear();
}

Channel Cluster::open(const Event& event, ReplicaId first, Routes::Carries carries) {
  std::vector<Flow> flows;
  flows_of(event, first, at_, flows);
  std::map<DeviceId, std::uint32_t> leaving, coming;
  for (const Flow flow : flows) ++leaving[flow.from], ++coming[flow.to];
  Channel channel;
  for (const Flow flow : flows) {
    channel.routes.push_back(&routes_->between(flow, carries));
    const std::uint32_t beside = std::max(leaving[flow.from], coming[flow.to]);
    const BytesPerSecond alone = channel.routes.back()->alone;
    const BytesPerSecond bandwidth =
        beside == 1 ? alone : std::min(alone, share_of_port(routes_->platform(), flow.from, flow.to, beside));
    if (channel.routes.size() == 1 || bandwidth < channel.slowest) channel.slowest = bandwidth;
  }
  return channel;
}

// The ranks of an event determine its devices. So its stage and microbatch do not change its routes.
Cluster::ChannelKey::ChannelKey(const Event& of, ReplicaId first_replica, Routes::Carries its_flows)
    : event(of_any_microbatch(of)), first(first_replica), carries(its_flows) {
  event.stage = event.peer_stage = {};
}

std::size_t Cluster::HashOfKey::operator()(const ChannelKey& key) const {
  std::size_t hash = key.first.index();
  for (const RankId rank : {key.event.rank, key.event.peer_rank})
    hash = hash * 0x9e3779b97f4a7c15U + rank.index();
  return hash;
}

const Channel& Cluster::channel(const Event& event, ReplicaId first, Routes::Carries carries) {
  const ChannelKey key{event, first, carries};
  const auto found = channels_.find(key);
  if (found != channels_.end()) return found->second;
  return channels_.emplace(key, open(key.event, first, carries)).first->second;
}

std::optional<Sending> Cluster::sending(const Event& event, ReplicaId first, Seconds price, Bytes payload) {
  if (ideal() || payload <= Bytes(0)) return std::nullopt;
  const Channel* used = &channel(event, first, Routes::Carries::Message);
  if (used->routes.empty()) return std::nullopt;
  if (event.in_group() && payload / used->slowest > price * kJustAsFast)
    used = &channel(event, first, Routes::Carries::Port);
  return Sending{used, std::max(Seconds(0), price - payload / used->slowest)};
}

}  // namespace spillway
