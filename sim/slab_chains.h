// Computing events with collectives inside, as chains of activities. An event has
//   one chain   of computing for as long as its exposed collectives leave over, then those collectives, step
//               by step
//   another     of its hidden collectives, from its start on
// and ends with the last of them. A step waits for its latency, then sends its flows; it ends with the last
// flow.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/agenda.h"
#include "sim/route.h"
#include "sim/slab_steps.h"
#include "sim/traffic.h"

namespace spillway {

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

}  // namespace spillway
