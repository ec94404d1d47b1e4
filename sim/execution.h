// One replay of one order: what each event waits for, what it starts, when it began and ended.
//
// An activity is one event on one group of joined replicas, numbered event * R + first replica of the group.
// It is ready when each predecessor has ended on every replica the two share. Then
//   a computing event      runs on the device of its rank and first replica (joined replicas advance as one),
//                          together with the collectives inside it where they are asked for
//   a communicating event  waits for its price less its update and what its flows take alone, where that is
//                          positive, sends the flows, then updates; with nothing to send it waits for its
//                          price
//   any other              ends at once, as does whatever takes no time
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cost/cost_model.h"
#include "derive/derive.h"
#include "sim/agenda.h"
#include "sim/cluster.h"
#include "sim/route.h"
#include "sim/shared_flows.h"
#include "sim/slab_steps.h"
#include "sim/traffic.h"
#include "timing/timeline.h"

namespace spillway {

// Computing events with collectives inside, as chains of activities. An event has
//   one chain   of computing for as long as its exposed collectives leave over, then those collectives, step
//               by step
//   another     of its hidden collectives, from its start on
// and ends with the last of them. A step waits for its latency, then sends its flows; it ends with the last
// flow.
class SlabChains {
 public:
  // `steps` are kept by the caller, by event. Events are known by their tokens, which index them; from there
  // on tokens are this object's. `done` is called with an event's token when a chain of it ends.
  SlabChains(const std::vector<SlabSteps>& steps, Routes& routes, Agenda& agenda, Traffic& traffic,
             std::function<void(Token)> done);

  Bytes largest_flow() const;

  // Whether there are collectives inside this event, and how many chains it then has.
  bool covers(Token event) const { return !steps_[event].empty(); }
  std::uint32_t count(Token event) const { return steps_[event].hidden.empty() ? 1 : 2; }
  // Contract: covers(event); `length` is what the event takes on an idle fabric.
  void start(Seconds length, Token event);
  // With a token of this object's: that many of its activities have ended; its delay has.
  void parts_done(Token token, std::uint32_t parts);
  void send(Token token);

 private:
  struct Chain {
    Token event;
    const std::vector<SlabStep>* steps;
    std::size_t next;       // step to begin
    std::uint32_t flowing;  // activities under way
  };

  Token open(Token event, const std::vector<SlabStep>& steps);
  void proceed(Token token);
  Chain& chain(Token token) { return chains_[token - own_]; }

  Routes& routes_;
  Agenda& agenda_;
  Traffic& traffic_;
  const std::function<void(Token)> done_;
  const std::vector<SlabSteps>& steps_;  // by event
  const Token own_;
  std::vector<Chain> chains_;  // under way, or free
  std::vector<Token> free_;
};

class Execution {
 public:
  // Keeps references to everything it is given; serves one run. `inside` is null where computing events are
  // taken whole, `shared` where the cluster is ideal.
  Execution(const Derived& derived, const Prices& prices, const Breakdown* inside, Cluster& cluster,
            SharedFlows* shared);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  Timeline run();

 private:
  struct Place {
    EventId event;
    std::uint32_t lane;  // first of its group
  };
  Place place(Token token) const;
  Token token(EventId event, std::uint32_t lane) const { return event.index() * lanes_ + lane; }

  RunScale scale() const;
  void count_predecessors();
  void start_sources();
  void next();
  void begin(Token token);
  void compute(Place place, Token token);
  void communicate(const Event& event, Place place, Token token);
  void send(Token token);
  std::optional<Sending> sending(const Event& event, Place place);
  void parts_done(Token token, std::uint32_t parts);
  void finish(Token token);
  void end(Token token);
  void record_end(Place place);
  void release_successors(Place place);
  Bytes payload(Place place) const;

  const Order& order_;
  const Prices& prices_;
  Cluster& cluster_;
  SharedFlows* const shared_;
  const std::uint32_t lanes_;
  const std::vector<SlabSteps> inside_;  // by token; none where computing events are taken whole
  Agenda agenda_;
  std::optional<Traffic> traffic_;    // none where the cluster is ideal
  std::optional<SlabChains> chains_;  // none without `inside_`
  // By token: predecessors to end; once begun, parts (flows, chains) to end.
  std::vector<std::uint32_t> pending_;
  std::uint64_t unfinished_ = 0;
  std::vector<Token> ended_;  // whose successors are yet to be told
  bool releasing_ = false;
  Timeline timeline_;
};

}  // namespace spillway
