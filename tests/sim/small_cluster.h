// A cluster small enough to compute by hand, and orders written event by event.
#pragma once

#include <utility>
#include <vector>

#include "derive/derive.h"
#include "platform/platform.h"
#include "sim/replay.h"

namespace spillway::testing {

inline Sourced<BytesPerSecond> gigabytes_per_second(double rate) {
  return {BytesPerSecond(rate * 1e9), Evidence::Assumed, "test"};
}
inline Sourced<Seconds> alpha(double us) {
  return {microseconds(us), Evidence::Assumed, "test"};
}

// A cluster of 16 devices. Packages of 2 use each device's die port; nodes of 4 and the whole cluster use its
// NIC. A NIC carries 100 GB/s, as much as one pair in a node gets; a pair across nodes gets 80.
//   0 1 | 2 3 || 4 5 | 6 7 || 8 9 | ...
inline Platform small_cluster() {
  Platform platform;
  platform.name = "small";
  platform.ports = {{"die", gigabytes_per_second(300)}, {"nic", gigabytes_per_second(100)}};
  platform.tiers = {{"package", 2, 0, alpha(0.5), gigabytes_per_second(200)},
                    {"node", 4, 1, alpha(1), gigabytes_per_second(100)},
                    {"cluster", 16, 1, alpha(10), gigabytes_per_second(80)}};
  return platform;
}

// An order given by its events, their edges and a price for each event, without the rest of a derivation.
class HandOrder {
 public:
  explicit HandOrder(std::uint32_t ranks, std::uint32_t replicas = 1)
      : pipeline_{ranks, 1, replicas}, builder_(ranks) {}

  std::uint32_t send(std::uint32_t from, std::uint32_t to, Seconds alone, double bytes) {
    Event event{};
    event.kind = EventKind::Collective;
    event.rank = RankId(from);
    event.peer_rank = RankId(to);
    return add(event, alone, bytes);
  }
  std::uint32_t compute(std::uint32_t rank, Seconds length, std::uint32_t joined = 1) {
    Event event{};
    event.kind = EventKind::Forward;
    event.rank = RankId(rank);
    event.joined_replicas = joined;
    return add(event, length, 0);
  }
  std::uint32_t reduce(Group group, std::uint32_t rank, Seconds alone, double bytes) {
    Event event{};
    event.kind = EventKind::DpReduce;
    event.group = group;
    event.rank = event.peer_rank = RankId(rank);
    event.joined_replicas = pipeline_.replicas;
    return add(event, alone, bytes);
  }
  void edge(std::uint32_t from, std::uint32_t to) { builder_.edge(from, to, EdgeKind::Sequence); }
  // Sets the event's payload on one replica.
  void carries_on_replica(std::uint32_t event, std::uint32_t replica, double bytes) {
    other_payloads_.push_back({event, replica, bytes});
  }
  // Sets the event's duration on one replica.
  void on_replica(std::uint32_t event, std::uint32_t replica, Seconds length) {
    exceptions_.push_back({event, replica, length});
  }

  // The order numbers its events itself, so start() and end() look them up by number of addition.
  struct Run {
    Timeline timeline;
    std::vector<EventId> id;  // by number of addition

    double start(std::uint32_t event, std::uint32_t replica = 0) const {
      return timeline.start.at(id[event], replica).value();
    }
    double end(std::uint32_t event, std::uint32_t replica = 0) const {
      return timeline.end.at(id[event], replica).value();
    }
  };

  Run run(Replay& replay) && {
    const auto levels = std::get<std::vector<std::uint32_t>>(builder_.levels());
    std::vector<EventId> id = numbers(levels);
    Prices prices{Durations(id.size(), pipeline_.replicas), PerEvent<Bytes>(id.size(), pipeline_.replicas)};
    for (std::size_t i = 0; i < id.size(); ++i) {
      prices.durations.fill(id[i], durations_[i]);
      prices.payload.fill(id[i], Bytes(payloads_[i]));
    }
    for (const OtherPayload& e : other_payloads_) prices.payload.at(id[e.event], e.replica) = Bytes(e.bytes);
    for (const Exception& e : exceptions_) prices.durations.at(id[e.event], e.replica) = e.length;
    const Derived derived{Model({{"llm", Role::Backbone, 1, true}}),
                          {},
                          {},
                          {},
                          pipeline_,
                          PointToPoint::Overlapped,
                          {},
                          {},
                          {},
                          {},
                          {},
                          {},
                          {},
                          {},
                          std::get<Order>(std::move(builder_).build())};
    return {replay.run(derived, prices), std::move(id)};
  }

 private:
  struct Exception {
    std::uint32_t event;
    std::uint32_t replica;
    Seconds length;
  };

  struct OtherPayload {
    std::uint32_t event;
    std::uint32_t replica;
    double bytes;
  };

  std::uint32_t add(const Event& event, Seconds duration, double bytes) {
    durations_.push_back(duration);
    payloads_.push_back(bytes);
    return builder_.add(event);
  }

  // OrderBuilder::build numbers events by level, and within a level in the order of addition.
  static std::vector<EventId> numbers(const std::vector<std::uint32_t>& levels) {
    std::vector<EventId> id;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      std::uint32_t before = 0;
      for (std::size_t j = 0; j < levels.size(); ++j) {
        if (levels[j] < levels[i] || (levels[j] == levels[i] && j < i)) ++before;
      }
      id.emplace_back(before);
    }
    return id;
  }

  Pipeline pipeline_;
  OrderBuilder builder_;
  std::vector<Seconds> durations_;
  std::vector<double> payloads_;
  std::vector<Exception> exceptions_;
  std::vector<OtherPayload> other_payloads_ = {};
};

}  // namespace spillway::testing
