// The flows under way. One that no other can slow down ends when it would alone, and is no more than a date
// on the agenda; SimGrid runs the others.
//
// The idea: no flow is faster than it is alone. So where the flows at an end of a port are together no faster
// than the port, nobody waits for it; and a flow between two such ends goes as fast as alone. With max-min
// sharing it takes nothing from flows elsewhere either: a port that is never full limits none of its flows. A
// flow that comes to an end that is too narrow for it and those that are there is run by SimGrid, and so is
// what they have left. Those stay with SimGrid until they end.
//
// Example: a port of 100 GB/s, pairs of 40. The first and the second flow are alone, each at 40; the third
// makes three that want 120, so SimGrid runs all three, at a third of 100 each. When the first has ended the
// others are at 40 again. A fourth joins them in SimGrid, for three may want 120; one that comes when a
// single other is left is alone.
//
// Flows that start together on idle ends, as many at each end of a port and all of one length, as those of an
// all-to-all do, are alike: each gets an equal part of the port, and all end at once. They are alone as a
// whole, until another flow comes to any of their ends.
//
// Cost: O(flows at the end of a port) a flow, besides SimGrid's own. Tests: tests/sim/traffic_test.cpp,
// against all flows in SimGrid.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/agenda.h"
#include "sim/route.h"
#include "sim/shared_flows.h"

namespace spillway {

class Traffic {
 public:
  // `ended` is told of how many flows of a token have ended. Keeps the others.
  Traffic(Agenda& agenda, SharedFlows& shared, std::function<void(Token, std::uint32_t)> ended)
      : agenda_(agenda), shared_(shared), ended_(std::move(ended)) {}

  // One more of those that start together. Contract: more than no bytes.
  void add(Route& route, Bytes bytes) { starting_.push_back({&route, bytes}); }
  // Now.
  void start(Token token);
  // What the agenda says with FlowsEnd.
  void alone_end(std::uint32_t first);
  // What SimGrid says.
  void shared_end(Route& route, Token token);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Starting {
    Route* route;
    Bytes bytes;
  };
  // What those that start together on one port have in common.
  struct Alike {
    Bytes bytes;
    BytesPerSecond alone;
    std::uint32_t at_each_end = 0;  // 0: there are none
    bool alike = true;
  };
  // One that SimGrid need not run; those of a token that end together are a list.
  struct Alone {
    Route* route;  // null once SimGrid runs it
    BytesPerSecond rate;
    Seconds end;
    Token token;
    std::uint32_t first;  // of its list
    std::uint32_t next;
  };

  void compare();
  void start_port(std::size_t port, Token token);
  void start_one(Route& route, Bytes bytes, Token token);
  bool crowd(PortEnd& end, BytesPerSecond more);
  bool lasts(std::uint32_t number) const;
  void start_alone(Route& route, BytesPerSecond rate, Bytes bytes, Token token);
  void start_shared(Route& route, Bytes bytes, Token token);
  void share(std::uint32_t number);
  void share_one(std::uint32_t number);
  void leave(std::uint32_t number);

  Agenda& agenda_;
  SharedFlows& shared_;
  const std::function<void(Token, std::uint32_t)> ended_;
  std::vector<Starting> starting_;
  std::vector<Alike> alike_;  // by port
  std::vector<Alone> alone_;
  std::vector<std::uint32_t> free_;
  std::uint32_t latest_ = kNone;  // first of the list that was begun last
};

}  // namespace spillway
