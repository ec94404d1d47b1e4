#include "sim/cluster.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

// Injective over the events of one order, in which the kind says how many replicas an event joins: kind and
// group, receiver or copy, sender, first replica. A broadcast ends at the last rank, a reduction of every
// rank's copies at the first.
constexpr int kRankBits = 21, kReplicaBits = 20;

// A price that is what a flow takes is so but for rounding.
constexpr double kJustAsFast = 1 + 1e-9;

std::uint64_t channel_key(const Event& event, ReplicaId first) {
  const std::uint64_t kind = event.in_group() ? 1 + static_cast<std::uint64_t>(event.group) : 0;
  const std::uint64_t ranks = std::uint64_t{event.peer_rank.index()} << kRankBits | event.rank.index();
  return kind << (2 * kRankBits + kReplicaBits) | ranks << kReplicaBits | first.index();
}

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
  ensure(pipeline.ranks >> kRankBits == 0 && pipeline.replicas >> kReplicaBits == 0,
         "channels are told apart by their ranks and replicas");
  RankDevices wanted = rank_devices(outline, members_);
  if (pipeline.replicas == replicas_ && wanted == at_) return;
  at_ = std::move(wanted);
  replicas_ = pipeline.replicas;
  for (auto& channels : channels_) channels.clear();
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
        beside == 1 ? alone : std::min(alone, rate_of_each(routes_->platform(), flow.from, flow.to, beside));
    if (channel.routes.size() == 1 || bandwidth < channel.slowest) channel.slowest = bandwidth;
  }
  return channel;
}

const Channel& Cluster::channel(const Event& event, ReplicaId first, Routes::Carries carries) {
  auto& channels = channels_[static_cast<std::size_t>(carries)];
  const std::uint64_t key = channel_key(event, first);
  const auto found = channels.find(key);
  if (found != channels.end()) return found->second;
  return channels.emplace(key, open(event, first, carries)).first->second;
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
