#include "sim/cluster.h"

#include <algorithm>
#include <map>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/NetZone.hpp>
#include <string>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

namespace sg = simgrid::s4u;

// One flop per second: an execution of x flops takes x seconds.
constexpr double kSpeed = 1.0;

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
    : slots_(std::max(fabric.slots, fabric.pipeline.ranks * fabric.pipeline.replicas)),
      members_(fabric.members),
      replicas_(fabric.pipeline.replicas),
      at_(DeviceGrid{fabric.pipeline.ranks, fabric.pipeline.replicas, fabric.members}) {
  sg::NetZone* root = sg::create_full_zone("cluster");
  devices_.reserve(slots_);
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    devices_.push_back({root->create_host("rank." + std::to_string(slot), kSpeed)->seal()});
  }
  if (fabric.platform && fabric.platform->contention) {
    const auto [ranks, microbatches, replicas] = fabric.pipeline;
    network_.emplace(*fabric.platform, DeviceGrid{ranks, replicas, fabric.members}.device_count(), root);
  }
  root->seal();
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
  channels_.clear();
}

Activities::Route& Cluster::route(Flow flow, Carries carries) {
  auto& routes = routes_[static_cast<std::size_t>(carries)];
  const std::uint64_t pair = std::uint64_t{flow.from.index()} << 32 | flow.to.index();
  const auto found = routes.find(pair);
  if (found != routes.end()) return found->second;
  const Path path = carries == Carries::Port ? network_->whole_port(flow.from, flow.to)
                                             : network_->path(flow.from, flow.to);
  return routes.emplace(pair, Activities::Route{path}).first->second;
}

Channel Cluster::open(const Event& event, ReplicaId first) {
  std::vector<Flow> flows;
  flows_of(event, first, at_, flows);
  const Carries carries = event.kind == EventKind::DpReduce ? Carries::Port : Carries::Message;
  std::map<DeviceId, std::uint32_t> leaving, coming;
  for (const Flow flow : flows) ++leaving[flow.from], ++coming[flow.to];
  Channel channel;
  for (const Flow flow : flows) {
    channel.routes.push_back(&route(flow, carries));
    const std::uint32_t beside = std::max(leaving[flow.from], coming[flow.to]);
    const BytesPerSecond alone = channel.routes.back()->path.bandwidth;
    const BytesPerSecond bandwidth =
        beside == 1 ? alone : std::min(alone, rate_of_each(network_->platform(), flow.from, flow.to, beside));
    if (channel.routes.size() == 1 || bandwidth < channel.slowest) channel.slowest = bandwidth;
  }
  return channel;
}

const Channel& Cluster::channel(const Event& event, ReplicaId first) {
  const std::uint64_t key = channel_key(event, first);
  const auto found = channels_.find(key);
  if (found != channels_.end()) return found->second;
  return channels_.emplace(key, open(event, first)).first->second;
}

}  // namespace spillway
