// One replay of one order: what each event waits for, what it starts, when it begins and ends.
//
// An activity is one event on one group of joined replicas, numbered event * R + first replica of the group.
// It is ready when each predecessor has ended on every replica the two share. Then
//   a computing event      runs on the device of its rank and first replica (joined replicas advance
//   together),
//                          with the collectives inside it if they are simulated as flows
//   a communicating event  waits for its price minus its update minus the time its flows take alone, if that
//   is
//                          positive. Then it sends its flows, then updates. If it sends nothing, it waits for
//                          its price.
//   the end of the step    waits for its price
//   any other event        ends at once, as does every event that takes no time
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cost/cost_model.h"
#include "derive/derive.h"
#include "sim/cluster.h"
#include "sim/flows/agenda.h"
#include "sim/flows/route.h"
#include "sim/shared_flows.h"
#include "sim/slab_steps.h"
#include "sim/traffic.h"
#include "timing/timeline.h"

namespace spillway {

// Runs computing events with collectives inside as chains of activities. An event has
//   a first chain   computing, for the time that its exposed collectives leave, then those collectives step
//   by
//                   step
//   a second chain  its hidden collectives, from the start of the event on
// The event ends when both chains have ended. A step waits for its latency, then sends its flows; it ends
// with the last flow.
class SlabChains {
 public:
  // The caller keeps `steps`, which are indexed by the tokens of events. Higher tokens belong to this object.
  // `done` is called with an event's token when one of its chains ends.
  SlabChains(const std::vector<SlabSteps>& steps, Routes& routes, Agenda& agenda, Traffic& traffic,
             std::function<void(ActivityToken)> done);

  Bytes largest_flow() const;

  // Returns whether this event has collectives inside, and how many chains it then has.
  bool covers(ActivityToken event) const { return !steps_[event].empty(); }
  std::uint32_t count(ActivityToken event) const { return steps_[event].hidden.empty() ? 1 : 2; }
  // Contract: covers(event). `length` is the time of the event on an idle fabric.
  void start(Seconds length, ActivityToken event);
  // Both take a token of this object. The first is called when `parts` of its activities have ended, the
  // second when its delay has.
  void parts_done(ActivityToken token, std::uint32_t parts);
  void send(ActivityToken token);

 private:
  struct Chain {
    ActivityToken event;
    const std::vector<SlabStep>* steps;
    std::size_t next;       // the step that begins next
    std::uint32_t flowing;  // running activities
  };

  ActivityToken open(ActivityToken event, const std::vector<SlabStep>& steps);
  void proceed(ActivityToken token);
  Chain& chain(ActivityToken token) { return chains_[token - own_]; }

  Routes& routes_;
  Agenda& agenda_;
  Traffic& traffic_;
  const std::function<void(ActivityToken)> done_;
  const std::vector<SlabSteps>& steps_;  // by event
  const ActivityToken own_;
  std::vector<Chain> chains_;  // running or free
  std::vector<ActivityToken> free_;
};

class Execution {
 public:
  // Keeps references to all arguments and serves one run. `inside` is null if computing events run as a
  // whole, `shared` is null if the cluster is ideal.
  Execution(const Derived& derived, const Prices& prices, const Breakdown* inside, Cluster& cluster,
            SharedFlows* shared);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  Timeline run();

 private:
  struct Place {
    EventId event;
    std::uint32_t lane;  // first replica of its group
  };
  Place place(ActivityToken token) const;
  ActivityToken token(EventId event, std::uint32_t lane) const { return event.index() * lanes_ + lane; }

  RunScale scale() const;
  void count_predecessors();
  void start_sources();
  void next();
  void begin(ActivityToken token);
  void compute(Place place, ActivityToken token);
  void communicate(const Event& event, Place place, ActivityToken token);
  void send(ActivityToken token);
  std::optional<Sending> sending(const Event& event, Place place);
  void parts_done(ActivityToken token, std::uint32_t parts);
  void finish(ActivityToken token);
  void end(ActivityToken token);
  void record_end(Place place);
  void release_successors(Place place);
  Bytes payload(Place place) const;

  const Order& order_;
  const Prices& prices_;
  Cluster& cluster_;
  SharedFlows* const shared_;
  const std::uint32_t lanes_;
  const std::vector<SlabSteps> inside_;  // by token; empty if computing events run as a whole
  Agenda agenda_;
  std::optional<Traffic> traffic_;    // none if the cluster is ideal
  std::optional<SlabChains> chains_;  // none without `inside_`
  // By token: the number of predecessors that have not ended; after the start, the number of parts (flows,
  // chains) that have not ended.
  std::vector<std::uint32_t> pending_;
  std::uint64_t unfinished_ = 0;
  std::vector<ActivityToken> ended_;  // ended events whose successors do not know it yet
  bool releasing_ = false;
  Timeline timeline_;
};

}  // namespace spillway
