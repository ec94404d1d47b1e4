// The replay of random contended orders against the tests' own fluid model (fluid.h). The flows of each event
// are derived here independently, from the contracts in order/event.h and sim/flows/flows.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cost/given.h"
#include "fluid.h"
#include "small_cluster.h"
#include "support/long_property.h"
#include "support/random_derivation.h"
#include "support/tolerance.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

constexpr std::uint32_t kOnARank = 2;

Platform contended_cluster() {
  Platform platform = small_cluster();
  platform.tiers.back().devices = 64;
  return platform;
}

// Devices are numbered by rank, then by replica, then by member.
DeviceId device_at(const Pipeline& pipeline, std::uint32_t rank, std::uint32_t replica,
                   std::uint32_t member) {
  return DeviceId((rank * pipeline.replicas + replica) * kOnARank + member);
}

// A place in a group: one rank in one replica.
struct Place {
  std::uint32_t rank, replica;
};

std::vector<Place> who_meets(const Event& event, std::uint32_t first, const Pipeline& pipeline) {
  std::vector<std::uint32_t> ranks{event.rank.index()};
  if (event.group == Group::ReplicaGroup) {
    ranks.clear();
    for (std::uint32_t rank = 0; rank < pipeline.ranks; ++rank) ranks.push_back(rank);
  } else if (event.peer_rank != event.rank) {
    ranks.push_back(event.peer_rank.index());
  }
  std::vector<Place> all;
  for (const std::uint32_t rank : ranks)
    for (std::uint32_t i = 0; i < event.joined_replicas; ++i) all.push_back({rank, first + i});
  return all;
}

std::vector<PlainFlow> plain_ring(const std::vector<Place>& places, const Pipeline& pipeline) {
  std::vector<PlainFlow> flows;
  for (std::uint32_t member = 0; places.size() > 1 && member < kOnARank; ++member)
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place from = places[i], to = places[(i + 1) % places.size()];
      flows.push_back({device_at(pipeline, from.rank, from.replica, member),
                       device_at(pipeline, to.rank, to.replica, member)});
    }
  return flows;
}

std::vector<PlainFlow> flows_of_event(const Event& event, std::uint32_t first, const Pipeline& pipeline) {
  if (event.kind == EventKind::DpReduce) return plain_ring(who_meets(event, first, pipeline), pipeline);
  std::vector<PlainFlow> flows;
  if (event.kind != EventKind::Collective || event.rank == event.peer_rank) return flows;
  for (std::uint32_t i = 0; i < event.joined_replicas; ++i)
    for (std::uint32_t member = 0; member < kOnARank; ++member)
      flows.push_back({device_at(pipeline, event.rank.index(), first + i, member),
                       device_at(pipeline, event.peer_rank.index(), first + i, member)});
  return flows;
}

Seconds takes_alone(std::vector<PlainFlow> flows, Bytes bytes, bool whole_port) {
  if (flows.empty() || bytes == Bytes(0)) return {};
  const std::vector<PlainEvent> one{{{}, Seconds(), std::move(flows), whole_port, bytes}};
  return Fluid(one, contended_cluster()).ends().front();
}

// Prices each transfer at a software delay and the time that its flows take alone; `scale` sets the payloads.
// Some reductions are priced faster than a pair's bandwidth allows, and some are followed by an update.
class Sizes final : public Pricing {
 public:
  Sizes(const RandomDerivation& random, const Derived& derived, double scale, Seconds software, bool updates)
      : compute_(random.costs, derived),
        pipeline_(derived.pipeline),
        scale_(scale),
        software_(software),
        updates_(updates) {}

  Seconds pass(Pass pass, StageId s, MicrobatchId m, ReplicaId r) const override {
    return compute_.pass(pass, s, m, r);
  }
  Seconds overlapped(const Event& event, ReplicaId r) const override { return compute_.overlapped(event, r); }

  Transfer transfer(const Event& event, ReplicaId replica) const override {
    const bool reduces = event.kind == EventKind::DpReduce;
    const std::uint32_t first = event.joined_replicas > 1 ? 0 : replica.index();
    const auto flows = flows_of_event(event, first, pipeline_);
    if (flows.empty()) return {};
    const std::uint32_t by = event.microbatch.index() * 3 + event.stage.index() * (reduces ? 5 : 1);
    const Bytes payload(scale_ * (1 + by % 7));
    Seconds takes = takes_alone(flows, payload, false);
    if (reduces && by % 2 == 0) takes = std::max(takes_alone(flows, payload, true), takes * 0.9);
    const Seconds update = reduces && updates_ ? takes * (by % 3 * 0.4) : Seconds();
    return {software_ + takes + update, payload, update};
  }

 private:
  GivenCostModel compute_;
  Pipeline pipeline_;
  double scale_;
  Seconds software_;
  bool updates_;
};

// The order as plain events. Each group of joined replicas has one.
class PlainOrder {
 public:
  PlainOrder(const Derived& derived, const Prices& prices) : derived_(derived), prices_(prices) {
    const std::uint32_t lanes = derived.pipeline.replicas;
    for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
      const Event& event = derived.order.event(EventId(id));
      first_.push_back(events.size());
      for (std::uint32_t lane = 0; lane < lanes; lane += event.joined_replicas) add(EventId(id), event, lane);
    }
  }

  std::size_t number(EventId id, std::uint32_t lane) const {
    return first_[id.index()] + lane / derived_.order.event(id).joined_replicas;
  }

  std::vector<PlainEvent> events;

 private:
  void add(EventId id, const Event& event, std::uint32_t lane) {
    Bytes bytes;
    for (std::uint32_t i = 0; i < event.joined_replicas; ++i)
      bytes = std::max(bytes, prices_.payload.at(id, lane + i));
    const Seconds price = prices_.durations.at(id, lane);
    PlainEvent plain{{}, price, {}, false, bytes};
    for (const std::uint32_t before : derived_.order.predecessors(id))
      for (std::uint32_t i = 0; i < event.joined_replicas; ++i)
        plain.after.push_back(static_cast<std::uint32_t>(number(EventId(before), lane + i)));
    std::ranges::sort(plain.after);
    plain.after.erase(std::ranges::unique(plain.after).begin(), plain.after.end());
    if (bytes > Bytes(0)) flow(event, lane, price, plain);
    events.push_back(std::move(plain));
  }

  void flow(const Event& event, std::uint32_t lane, Seconds price, PlainEvent& plain) {
    plain.flows = flows_of_event(event, lane, derived_.pipeline);
    if (plain.flows.empty()) return;
    plain.update = prices_.update(event);
    const Seconds flowing = price - plain.update, held = takes_alone(plain.flows, plain.bytes, false);
    plain.whole_port = event.kind == EventKind::DpReduce && held > flowing * (1 + 1e-9);
    const Seconds takes = plain.whole_port ? takes_alone(plain.flows, plain.bytes, true) : held;
    plain.wait = std::max(Seconds(), flowing - takes);
  }

  const Derived& derived_;
  const Prices& prices_;
  std::vector<std::size_t> first_;  // by event
};

void expect_the_fluids_ends(const RandomDerivation& random, Replay& replay) {
  const Derived derived = random.derived();
  const double scale = std::pow(10, *rc::gen::inRange(8, 12));
  const Seconds software = microseconds(*rc::gen::element(0, 30, 2000));
  const Sizes sizes(random, derived, scale, software, *rc::gen::arbitrary<bool>());
  const Prices prices = price(derived, sizes);
  const PlainOrder plain(derived, prices);
  const std::vector<Seconds> expected = Fluid(plain.events, contended_cluster()).ends();
  const Timeline found = replay.run(derived, prices);
  const Seconds longest = LongestPath(derived.order).timeline(prices.durations).makespan();
  RC_CLASSIFY(found.makespan() > longest * (1 + kRelative), "shares ports");
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id)
    for (std::uint32_t lane = 0; lane < derived.pipeline.replicas; ++lane) {
      const Seconds end = expected[plain.number(EventId(id), lane)];
      RC_ASSERT(std::abs((found.end.at(EventId(id), lane) - end).value()) <=
                kRelative * found.makespan().value());
    }
}

// Ports are shared in about 1,130 of 2,400 such orders.
TEST(ContendedOrders, EndAsAFluidOfTheTestsOwn) {
  constexpr int kOrders = 8;  // per case
  Replay replay(Fabric{{5, 1, 3}, kOnARank, contended_cluster()});
  check_some(100, [&] {
    for (int i = 0; i < kOrders; ++i)
      expect_the_fluids_ends(
          *random_derivation(
              {.regions = 4, .ranks = 5, .microbatches = 6, .replicas = 3, .every_skeleton = true}),
          replay);
  });
}

}  // namespace
}  // namespace spillway::testing
