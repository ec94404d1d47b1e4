// One replay of one order: what each event waits for, what it starts, when it began and ended.
//
// An activity is one event on one group of joined replicas, numbered event * R + first replica of the group.
// It is ready when each predecessor has ended on every replica the two share. Then
//   a computing event      runs on the device of its rank and first replica (joined replicas advance as one),
//                          together with the collectives inside it where they are asked for
//   a communicating event  waits for its price less what its flows take alone, where that is positive,
//                          then sends the flows; with nothing to send it waits for its price
//   any other              ends at once, as does whatever takes no time
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cost/cost_model.h"
#include "derive/derive.h"
#include "sim/activities.h"
#include "sim/clock.h"
#include "sim/cluster.h"
#include "sim/slab_chains.h"
#include "timing/timeline.h"

namespace spillway {

class Execution {
 public:
  // Keeps references to everything it is given; serves one run. `inside` is null where computing events are
  // taken whole.
  Execution(const Derived& derived, const Prices& prices, const Breakdown* inside, Cluster& cluster,
            Activities& activities);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  Timeline run();

 private:
  using Token = Activities::Token;

  struct Place {
    EventId event;
    std::uint32_t lane;  // first of its group
  };
  Place place(Token token) const;
  Token token(EventId event, std::uint32_t lane) const { return event.index() * lanes_ + lane; }

  void count_predecessors();
  void start_sources();
  void begin(Token token);
  void compute(const Event& event, Place place, Token token);
  void communicate(const Event& event, Place place, Token token);
  bool sends(const Event& event, Place place);
  void send(Token token);
  void part_done(Token token);
  void end(Token token);
  void record_end(Place place);
  void release_successors(Place place);
  Bytes payload(Place place) const;

  const Order& order_;
  const Prices& prices_;
  Cluster& cluster_;
  Activities& activities_;
  const std::uint32_t lanes_;
  const std::vector<SlabSteps> inside_;  // by token; none where computing events are taken whole
  const SlowMotion time_;
  ClockPrecision precision_;
  std::vector<std::uint32_t>
      pending_;  // by token: predecessors to end; once begun, parts (flows, chains) to end
  std::unique_ptr<SlabChains> chains_;  // null without `inside_`
  std::uint64_t unfinished_ = 0;
  std::vector<Token> ended_;  // whose successors are yet to be told
  bool releasing_ = false;
  Timeline timeline_;
};

}  // namespace spillway
