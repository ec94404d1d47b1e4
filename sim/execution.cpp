#include "sim/execution.h"

#include <algorithm>
#include <limits>
#include <simgrid/s4u/Engine.hpp>

#include "base/error.h"
#include "sim/dates.h"

namespace spillway {
namespace {

Seconds longest(const Durations& durations) {
  Seconds most;
  for (const Seconds duration : durations.flat()) most = std::max(most, duration);
  return most;
}

const Derived& held_to_contract(const Derived& derived, const Prices& prices) {
  ensure(prices.durations.events() == derived.order.event_count() &&
             prices.durations.lanes() == derived.pipeline.replicas,
         "prices cover the order");
  return derived;
}

std::vector<SlabSteps> steps_inside(const Derived& derived, const Breakdown* inside, Cluster& cluster) {
  if (!inside || cluster.ideal()) return {};
  return slab_steps(cluster.network().platform(), *inside, derived.order, derived.pipeline.replicas);
}

Bytes largest(const PerEvent<Bytes>& payloads) {
  Bytes most;
  for (const Bytes payload : payloads.flat()) most = std::max(most, payload);
  return most;
}

}  // namespace

Execution::Execution(const Derived& derived, const Prices& prices, const Breakdown* inside, Cluster& cluster,
                     Activities& activities)
    : order_(held_to_contract(derived, prices).order),
      prices_(prices),
      cluster_(cluster),
      activities_(activities),
      lanes_(derived.pipeline.replicas),
      inside_(steps_inside(derived, inside, cluster)),
      time_(least_makespan(order_, prices.durations), dates_in_a_row(order_, inside_)),
      pending_(order_.event_count() * lanes_, 0),
      timeline_{PerEvent<Seconds>(order_.event_count(), lanes_),
                PerEvent<Seconds>(order_.event_count(), lanes_)} {
  ensure(pending_.size() <= std::numeric_limits<Token>::max(), "activities fit their numbers");
  cluster_.place(derived);
  if (!cluster_.ideal()) {
    Bytes most = largest(prices.payload);
    if (!inside_.empty()) {
      chains_ = std::make_unique<SlabChains>(inside_, cluster_, activities_, time_,
                                             [this](Token token) { part_done(token); });
      most = std::max(most, chains_->largest_flow());
    }
    cluster_.network().fit_unit_to(most, time_.exponent());
  }
  count_predecessors();
}

Timeline Execution::run() {
  activities_.report_to([this](Token token) {
    if (token < pending_.size()) return part_done(token);
    chains_->part_done(token);
  });
  precision_.start(time_.engine(longest(prices_.durations)));
  start_sources();
  if (unfinished_ > 0) simgrid::s4u::Engine::get_instance()->run();
  ensure(unfinished_ == 0, "every event of an acyclic order ends");
  return std::move(timeline_);
}

Execution::Place Execution::place(Token token) const {
  return lanes_ == 1 ? Place{EventId(token), 0} : Place{EventId(token / lanes_), token % lanes_};
}

// A group waits for every group of a predecessor with which it shares a replica.
void Execution::count_predecessors() {
  for (std::uint32_t index = 0; index < order_.event_count(); ++index) {
    const std::uint32_t joined = order_.event(EventId(index)).joined_replicas;
    for (std::uint32_t lane = 0; lane < lanes_; lane += joined, ++unfinished_) {
      std::uint32_t count = 0;
      for (const std::uint32_t before : order_.predecessors(EventId(index))) {
        const std::uint32_t width = order_.event(EventId(before)).joined_replicas;
        count += (lane + joined - 1) / width - lane / width + 1;
      }
      pending_[token(EventId(index), lane)] = count;
    }
  }
}

// Which events wait for nothing is settled before any of them ends and releases others.
void Execution::start_sources() {
  std::vector<Token> sources;
  for (std::uint32_t index = 0; index < order_.event_count(); ++index) {
    if (!order_.predecessors(EventId(index)).empty()) continue;
    const std::uint32_t joined = order_.event(EventId(index)).joined_replicas;
    for (std::uint32_t lane = 0; lane < lanes_; lane += joined)
      sources.push_back(token(EventId(index), lane));
  }
  for (const Token source : sources) begin(source);
}

void Execution::begin(Token token) {
  const Place at = place(token);
  const Event& event = order_.event(at.event);
  const Seconds start = time_.now();
  for (std::uint32_t i = 0; i < event.joined_replicas; ++i) timeline_.start.at(at.event, at.lane + i) = start;
  pending_[token] = 1;
  if (event.computes()) return compute(event, at, token);
  if (event.communicates()) return communicate(event, at, token);
  end(token);
}

void Execution::compute(const Event& event, Place at, Token token) {
  const Seconds length = prices_.durations.at(at.event, at.lane);
  if (length <= Seconds(0)) return end(token);
  if (chains_ && chains_->covers(token)) {
    pending_[token] = chains_->count(token);
    return chains_->start(cluster_.device(event.rank, ReplicaId(at.lane)), length, token);
  }
  activities_.compute(cluster_.device(event.rank, ReplicaId(at.lane)), time_.engine(length), token);
}

void Execution::communicate(const Event& event, Place at, Token token) {
  const Seconds price = prices_.durations.at(at.event, at.lane);
  if (!sends(event, at)) {
    if (price <= Seconds(0)) return end(token);
    return after(time_.engine(price), [this, token] { end(token); });
  }
  const Seconds flowing = payload(at) / cluster_.channel(event, ReplicaId(at.lane)).slowest;
  const double delay = time_.engine(price - flowing) - kFlowLatency;
  if (delay <= 0) return send(token);
  after(delay, [this, token] { send(token); });
}

bool Execution::sends(const Event& event, Place at) {
  return !cluster_.ideal() && payload(at) > Bytes(0) &&
         !cluster_.channel(event, ReplicaId(at.lane)).routes.empty();
}

void Execution::send(Token token) {
  const Place at = place(token);
  const Channel& channel = cluster_.channel(order_.event(at.event), ReplicaId(at.lane));
  const std::uint64_t units = std::max<std::uint64_t>(1, cluster_.network().units(payload(at)));
  pending_[token] = static_cast<std::uint32_t>(channel.routes.size());
  for (Activities::Route* route : channel.routes) activities_.flow(*route, units, token);
}

void Execution::part_done(Token token) {
  if (--pending_[token] == 0) end(token);
}

// Events that take no time end inside this loop, not by recursion: chains of them are as long as the order.
void Execution::end(Token token) {
  ended_.push_back(token);
  if (releasing_) return;
  releasing_ = true;
  while (!ended_.empty()) {
    const Place at = place(ended_.back());
    ended_.pop_back();
    record_end(at);
    release_successors(at);
  }
  releasing_ = false;
  if (unfinished_ == 0) precision_.stop();
}

void Execution::record_end(Place at) {
  const Seconds end = time_.now();
  const std::uint32_t joined = order_.event(at.event).joined_replicas;
  for (std::uint32_t i = 0; i < joined; ++i) timeline_.end.at(at.event, at.lane + i) = end;
  --unfinished_;
}

void Execution::release_successors(Place at) {
  const std::uint32_t own = order_.event(at.event).joined_replicas;
  for (const std::uint32_t successor : order_.successors(at.event)) {
    const std::uint32_t joined = order_.event(EventId(successor)).joined_replicas;
    const std::uint32_t first = at.lane / joined * joined;
    for (std::uint32_t lane = first; lane < at.lane + own; lane += joined) {
      const Token next = token(EventId(successor), lane);
      if (--pending_[next] == 0) begin(next);
    }
  }
}

// Joined replicas send what the largest of them has.
Bytes Execution::payload(Place at) const {
  Bytes most;
  const std::uint32_t joined = order_.event(at.event).joined_replicas;
  for (std::uint32_t i = 0; i < joined; ++i) most = std::max(most, prices_.payload.at(at.event, at.lane + i));
  return most;
}

}  // namespace spillway
