#include "sim/execution.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/error.h"
#include "order/order.h"
#include "sim/slab_steps.h"
#include "timing/timeline.h"

namespace spillway {
namespace {

// Two functions say how exact the clock of a replay has to be (SlowMotion in sim/simgrid/clock.h): the least
// duration of a run, and how many of its dates follow each other, each rounded to the clock.
std::uint64_t dates_of(const Event& event, std::span<const SlabSteps> inside) {
  if (event.communicates()) return event.in_group() ? 3 : 2;
  if (!event.computes()) return 0;
  std::size_t most = 0;
  for (const SlabSteps& steps : inside) most = std::max({most, steps.exposed.size(), steps.hidden.size()});
  return 1 + 2 * most;
}

// Returns the busiest rank's computing time in the first replica, or the longest event if that is longer. No
// run is shorter, however links are shared.
Seconds least_makespan(const Order& order, const Durations& durations) {
  std::vector<Seconds> computing(order.rank_count());
  Seconds longest;
  for (std::uint32_t index = 0; index < order.event_count(); ++index) {
    const Event& event = order.event(EventId(index));
    const Seconds duration = durations.at(EventId(index), 0);
    longest = std::max(longest, duration);
    if (event.computes()) computing[event.rank.index()] += duration;
  }
  for (const Seconds busy : computing) longest = std::max(longest, busy);
  return longest;
}

// Returns the number of dates on the path of events that has the most. Computing has one date; a transfer
// two, for its delay and its flows; a reduction a third one, for its update. Each step inside a computing
// event has two. `inside` has all events of the order in as many lanes, or is empty.
std::uint64_t dates_in_a_row(const Order& order, std::span<const SlabSteps> inside) {
  const std::size_t lanes = inside.empty() ? 0 : inside.size() / order.event_count();
  std::vector<std::uint64_t> until(order.event_count());
  std::uint64_t most = 0;
  for (std::uint32_t index = 0; index < order.event_count(); ++index) {
    for (const std::uint32_t before : order.predecessors(EventId(index)))
      until[index] = std::max(until[index], until[before]);
    until[index] += dates_of(order.event(EventId(index)), inside.subspan(index * lanes, lanes));
    most = std::max(most, until[index]);
  }
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
  return slab_steps(cluster.routes().platform(), *inside, derived.order, derived.pipeline.replicas);
}

Bytes largest(const PerEvent<Bytes>& payloads) {
  Bytes most;
  for (const Bytes payload : payloads.flat()) most = std::max(most, payload);
  return most;
}

}  // namespace

SlabChains::SlabChains(const std::vector<SlabSteps>& steps, Routes& routes, Agenda& agenda, Traffic& traffic,
                       std::function<void(ActivityToken)> done)
    : routes_(routes),
      agenda_(agenda),
      traffic_(traffic),
      done_(std::move(done)),
      steps_(steps),
      own_(static_cast<ActivityToken>(steps.size())) {}

Bytes SlabChains::largest_flow() const {
  Bytes most;
  for (const SlabSteps& steps : steps_)
    for (const auto* chain : {&steps.exposed, &steps.hidden})
      for (const SlabStep& step : *chain)
        for (const StepFlow& flow : step.flows) most = std::max(most, flow.bytes);
  return most;
}

void SlabChains::start(Seconds length, ActivityToken event) {
  const SlabSteps& steps = steps_[event];
  const ActivityToken exposed = open(event, steps.exposed);
  chain(exposed).flowing = 1;
  if (!steps.hidden.empty()) proceed(open(event, steps.hidden));
  const Seconds computing = length - steps.exposed_time;
  if (computing <= Seconds(0)) return parts_done(exposed, 1);
  agenda_.add(agenda_.now() + computing, Agenda::What::WaitEnds, exposed);
}

ActivityToken SlabChains::open(ActivityToken event, const std::vector<SlabStep>& steps) {
  const Chain opened{event, &steps, 0, 0};
  if (free_.empty()) {
    chains_.push_back(opened);
    return own_ + static_cast<ActivityToken>(chains_.size() - 1);
  }
  const ActivityToken token = free_.back();
  free_.pop_back();
  chain(token) = opened;
  return token;
}

void SlabChains::parts_done(ActivityToken token, std::uint32_t parts) {
  if ((chain(token).flowing -= parts) == 0) proceed(token);
}

void SlabChains::proceed(ActivityToken token) {
  Chain& running = chain(token);
  if (running.next == running.steps->size()) {
    free_.push_back(token);
    return done_(running.event);
  }
  const SlabStep& step = (*running.steps)[running.next++];
  if (step.latency <= Seconds(0)) return send(token);
  agenda_.add(agenda_.now() + step.latency, Agenda::What::FlowsStart, token);
}

void SlabChains::send(ActivityToken token) {
  const SlabStep& step = (*chain(token).steps)[chain(token).next - 1];
  chain(token).flowing = static_cast<std::uint32_t>(step.flows.size());
  const auto carries = step.whole_port ? Routes::Carries::Port : Routes::Carries::Message;
  for (const StepFlow& flow : step.flows)
    traffic_.add(routes_.between({flow.from, flow.to}, carries), flow.bytes);
  traffic_.start(token);
}

Execution::Execution(const Derived& derived, const Prices& prices, const Breakdown* inside, Cluster& cluster,
                     SharedFlows* shared)
    : order_(held_to_contract(derived, prices).order),
      prices_(prices),
      cluster_(cluster),
      shared_(shared),
      lanes_(derived.pipeline.replicas),
      inside_(steps_inside(derived, inside, cluster)),
      pending_(order_.event_count() * lanes_, 0),
      timeline_{PerEvent<Seconds>(order_.event_count(), lanes_),
                PerEvent<Seconds>(order_.event_count(), lanes_)} {
  ensure(pending_.size() <= std::numeric_limits<ActivityToken>::max(), "activities fit their numbers");
  cluster_.place(derived);
  if (!cluster_.ideal())
    traffic_.emplace(agenda_, *shared_,
                     [this](ActivityToken token, std::uint32_t flows) { parts_done(token, flows); });
  if (!inside_.empty())
    chains_.emplace(inside_, cluster_.routes(), agenda_, *traffic_,
                    [this](ActivityToken token) { parts_done(token, 1); });
  count_predecessors();
}

Timeline Execution::run() {
  if (!cluster_.ideal())
    shared_->serve({&agenda_, [this] { next(); },
                    [this](Route& route, ActivityToken token) { traffic_->shared_end(route, token); },
                    [this] { return scale(); }});
  start_sources();
  const auto sharing = [this] { return shared_ != nullptr && shared_->any(); };
  while (sharing() || !agenda_.empty()) sharing() ? shared_->run() : next();
  ensure(unfinished_ == 0, "every event of an acyclic order ends");
  return std::move(timeline_);
}

RunScale Execution::scale() const {
  Bytes most = largest(prices_.payload);
  if (chains_) most = std::max(most, chains_->largest_flow());
  return {least_makespan(order_, prices_.durations), dates_in_a_row(order_, inside_), most};
}

Execution::Place Execution::place(ActivityToken token) const {
  return lanes_ == 1 ? Place{EventId(token), 0} : Place{EventId(token / lanes_), token % lanes_};
}

// A group waits for every group of a predecessor that shares a replica with it.
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

// All sources are collected before the first one starts, since an event that ends can release others.
void Execution::start_sources() {
  std::vector<ActivityToken> sources;
  for (std::uint32_t index = 0; index < order_.event_count(); ++index) {
    if (!order_.predecessors(EventId(index)).empty()) continue;
    const std::uint32_t joined = order_.event(EventId(index)).joined_replicas;
    for (std::uint32_t lane = 0; lane < lanes_; lane += joined)
      sources.push_back(token(EventId(index), lane));
  }
  for (const ActivityToken source : sources) begin(source);
}

void Execution::next() {
  const Agenda::Entry due = agenda_.take();
  switch (due.what) {
    case Agenda::What::FlowsEnd:
      return traffic_->alone_end(due.token);
    case Agenda::What::WaitEnds:
      return parts_done(due.token, 1);
    case Agenda::What::EventEnds:
      return end(due.token);
    case Agenda::What::FlowsStart:
      return due.token < pending_.size() ? send(due.token) : chains_->send(due.token);
  }
}

void Execution::begin(ActivityToken token) {
  const Place at = place(token);
  const Event& event = order_.event(at.event);
  for (std::uint32_t i = 0; i < event.joined_replicas; ++i)
    timeline_.start.at(at.event, at.lane + i) = agenda_.now();
  pending_[token] = 1;
  if (event.computes()) return compute(at, token);
  if (event.communicates()) return communicate(event, at, token);
  const Seconds price = prices_.durations.at(at.event, at.lane);
  if (price <= Seconds(0)) return end(token);
  agenda_.add(agenda_.now() + price, Agenda::What::EventEnds, token);
}

// The order already makes computing events of one device follow each other, so no queue is needed here.
void Execution::compute(Place at, ActivityToken token) {
  const Seconds length = prices_.durations.at(at.event, at.lane);
  if (length <= Seconds(0)) return end(token);
  if (chains_ && chains_->covers(token)) {
    pending_[token] = chains_->count(token);
    return chains_->start(length, token);
  }
  agenda_.add(agenda_.now() + length, Agenda::What::WaitEnds, token);
}

std::optional<Sending> Execution::sending(const Event& event, Place at) {
  const Seconds price = prices_.durations.at(at.event, at.lane);
  return cluster_.sending(event, ReplicaId(at.lane), price - prices_.update(event), payload(at));
}

void Execution::communicate(const Event& event, Place at, ActivityToken token) {
  const auto flows = sending(event, at);
  if (flows && flows->wait <= Seconds(0)) return send(token);
  if (flows) return agenda_.add(agenda_.now() + flows->wait, Agenda::What::FlowsStart, token);
  const Seconds price = prices_.durations.at(at.event, at.lane);
  if (price <= Seconds(0)) return end(token);
  agenda_.add(agenda_.now() + price, Agenda::What::EventEnds, token);
}

// A wait does not change what an event sends, so its channel is looked up again.
void Execution::send(ActivityToken token) {
  const Place at = place(token);
  const Channel& channel = *sending(order_.event(at.event), at)->channel;
  const Bytes bytes = payload(at);
  pending_[token] = static_cast<std::uint32_t>(channel.routes.size());
  for (Route* route : channel.routes) traffic_->add(*route, bytes);
  traffic_->start(token);
}

void Execution::parts_done(ActivityToken token, std::uint32_t parts) {
  if (token >= pending_.size()) return chains_->parts_done(token, parts);
  if ((pending_[token] -= parts) == 0) finish(token);
}

void Execution::finish(ActivityToken token) {
  const Seconds update = prices_.update(order_.event(place(token).event));
  if (update <= Seconds(0)) return end(token);
  agenda_.add(agenda_.now() + update, Agenda::What::EventEnds, token);
}

// Events that take no time end inside this loop, not by recursion: their chains can be as long as the order.
void Execution::end(ActivityToken token) {
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
}

void Execution::record_end(Place at) {
  const std::uint32_t joined = order_.event(at.event).joined_replicas;
  for (std::uint32_t i = 0; i < joined; ++i) timeline_.end.at(at.event, at.lane + i) = agenda_.now();
  --unfinished_;
}

void Execution::release_successors(Place at) {
  const std::uint32_t own = order_.event(at.event).joined_replicas;
  for (const std::uint32_t successor : order_.successors(at.event)) {
    const std::uint32_t joined = order_.event(EventId(successor)).joined_replicas;
    const std::uint32_t first = at.lane / joined * joined;
    for (std::uint32_t lane = first; lane < at.lane + own; lane += joined) {
      const ActivityToken next = token(EventId(successor), lane);
      if (--pending_[next] == 0) begin(next);
    }
  }
}

// Joined replicas send the largest payload among them.
Bytes Execution::payload(Place at) const {
  Bytes most;
  const std::uint32_t joined = order_.event(at.event).joined_replicas;
  for (std::uint32_t i = 0; i < joined; ++i) most = std::max(most, prices_.payload.at(at.event, at.lane + i));
  return most;
}

}  // namespace spillway
