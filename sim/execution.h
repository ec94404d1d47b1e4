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
#include <optional>
#include <vector>

#include "cost/cost_model.h"
#include "derive/derive.h"
#include "sim/agenda.h"
#include "sim/cluster.h"
#include "sim/shared_flows.h"
#include "sim/slab_chains.h"
#include "sim/traffic.h"
#include "timing/timeline.h"

namespace spillway {

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
