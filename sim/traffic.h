// The running flows. A flow that no other can slow down ends when it would alone, and is only a date on the
// agenda. SimGrid runs the other flows.
//
// Idea: no flow is faster than it is alone. If all flows at a port end together need no more than the port's
// bandwidth, none of them waits for it. So a flow between two such ends is as fast as alone. With max-min
// sharing it also takes nothing from flows elsewhere, since a port that is never full limits none of its
// flows. If a new flow comes to an end that is too narrow for all of its flows, SimGrid runs the new flow,
// and the flows there for their remaining bytes. Those stay in SimGrid until they end.
//
// Example: a port of 100 GB/s, pairs of 40. The first two flows run alone, each at 40. The third makes the
// sum 120, so SimGrid runs all three, at a third of 100 each. When the first ends, the other two run at 40
// again. A fourth flow joins them in SimGrid, since three may need 120. A flow that comes when only one other
// is left runs alone.
//
// Flows are alike if they start together on idle ends, have equal lengths, and are equally many at each end
// of a port, as in an all-to-all. Each gets an equal part of the port, and all end at once. They run alone as
// a whole, until another flow comes to any of their ends.
//
// Cost: O(flows at a port end) per flow, plus SimGrid's own. Tests: tests/sim/traffic_test.cpp, against all
// flows in SimGrid.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/flows/agenda.h"
#include "sim/flows/route.h"
#include "sim/shared_flows.h"

namespace spillway {

class Traffic {
 public:
  // Calls `ended` with a token and the number of its flows that have ended. Keeps references to the other
  // arguments.
  Traffic(Agenda& agenda, SharedFlows& shared, std::function<void(ActivityToken, std::uint32_t)> ended)
      : agenda_(agenda), shared_(shared), ended_(std::move(ended)) {}

  // Adds a flow to those that start together. Contract: `bytes` is above 0.
  void add(Route& route, Bytes bytes) { starting_.push_back({&route, bytes}); }
  // Starts the added flows now.
  void start(ActivityToken token);
  // To be called for each FlowsEnd entry of the agenda.
  void alone_end(std::uint32_t first);
  // To be called when SimGrid has ended a flow.
  void shared_end(Route& route, ActivityToken token);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Starting {
    Route* route;
    Bytes bytes;
  };
  // The common properties of flows that start together on one port.
  struct Alike {
    Bytes bytes;
    BytesPerSecond alone;
    std::uint32_t at_each_end = 0;  // 0: no flows on this port
    bool alike = true;
  };
  // A flow that SimGrid does not run. Flows of one token that end together form a list.
  struct Alone {
    Route* route;  // null after SimGrid took it over
    BytesPerSecond rate;
    Seconds end;
    ActivityToken token;
    std::uint32_t first;  // first flow of its list
    std::uint32_t next;
  };

  void compare();
  void start_port(std::size_t port, ActivityToken token);
  void start_one(Route& route, Bytes bytes, ActivityToken token);
  bool crowd(PortEnd& end, BytesPerSecond more);
  bool lasts(std::uint32_t number) const;
  void start_alone(Route& route, BytesPerSecond rate, Bytes bytes, ActivityToken token);
  void start_shared(Route& route, Bytes bytes, ActivityToken token);
  void share(std::uint32_t number);
  void share_one(std::uint32_t number);
  void leave(std::uint32_t number);

  Agenda& agenda_;
  SharedFlows& shared_;
  const std::function<void(ActivityToken, std::uint32_t)> ended_;
  std::vector<Starting> starting_;
  std::vector<Alike> alike_;  // by port
  std::vector<Alone> alone_;
  std::vector<std::uint32_t> free_;
  std::uint32_t latest_ = kNone;  // first flow of the latest list
};

}  // namespace spillway
