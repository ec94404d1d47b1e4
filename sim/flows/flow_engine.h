// The engine that runs the flows that share links, as its callers see it. It is SimGrid (sim/simgrid/).
#pragma once

#include <cstdint>
#include <functional>

#include "sim/flows/agenda.h"
#include "sim/flows/route.h"

namespace spillway {

// Says how exact a run has to be (sim/simgrid/clock.h), and the size of its longest flow.
struct RunScale {
  Seconds least;
  std::uint64_t dates;
  Bytes largest;
};

// The callbacks of a run: its agenda, and its reactions to dates and to ends of flows.
struct RunWithFlows {
  Agenda* agenda;
  std::function<void()> next;  // takes the next entry of the agenda
  std::function<void(Route&, ActivityToken)> ended;
  std::function<RunScale()> scale;  // called when flows share a link for the first time
};

class FlowEngine {
 public:
  virtual ~FlowEngine() = default;
  // Contract: nothing flows.
  virtual void serve(RunWithFlows run) = 0;
  virtual bool any() const = 0;
  // Starts a flow now. Contract: `bytes` is above 0, and the ends of the route already count the flow.
  virtual void start(Route& route, Bytes bytes, ActivityToken token) = 0;
  // Runs until nothing flows.
  virtual void run() = 0;
};

}  // namespace spillway
