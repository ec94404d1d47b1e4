// Runs the flows that share links in SimGrid.
//
// SimGrid's engine runs while there are such flows, and otherwise stands still. Meanwhile a timer of its
// kernel stops it at every date of the agenda.
//
// This file avoids SimGrid's own bookkeeping: one activity object serves many flows, one after the other.
// SimGrid 3.32 appends each new activity to a list of its actor (here the maestro), and scans the whole list
// when one ends. For N simultaneous flows that takes N^2 steps. A restarted activity is in no list, and a new
// one leaves the list by failing once. The flow is in the user data of the activity, so no lookup by pointer
// or name is needed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Comm.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "sim/agenda.h"
#include "sim/clock.h"
#include "sim/network.h"
#include "sim/route.h"

namespace spillway {

class SharedFlows;

struct SharedFlow {
  simgrid::s4u::CommPtr comm;
  SharedFlows* owner;
  Route* route;
  Token token;
};

// Says how exact a run has to be (sim/clock.h), and the size of its longest flow.
struct RunScale {
  Seconds least;
  std::uint64_t dates;
  Bytes largest;
};

class SharedFlows {
 public:
  // The callbacks of a run: its agenda, and its reactions to dates and to ends of flows.
  struct Run {
    Agenda* agenda;
    std::function<void()> next;  // takes the next entry of the agenda
    std::function<void(Route&, Token)> ended;
    std::function<RunScale()> scale;  // called when flows share a link for the first time
  };

  // Keeps a reference to `routes`. SimGrid's engine exists from the first flow on.
  explicit SharedFlows(const Routes& routes) : routes_(routes) {}
  SharedFlows(const SharedFlows&) = delete;
  SharedFlows& operator=(const SharedFlows&) = delete;

  // Contract: nothing flows.
  void serve(Run run);

  bool any() const { return flowing_ > 0; }
  // Starts a flow now. Contract: `bytes` is above 0, and the ends of the route already count the flow.
  void start(Route& route, Bytes bytes, Token token);
  // Runs until nothing flows.
  void run();

 private:
  void open();
  void fit();
  SharedFlow& take(Route& route, Token token);
  void leave_list(const Route& route, simgrid::s4u::Comm& comm) const;
  void completed(SharedFlow& flow);
  Seconds now() const;
  double engine_date(Seconds date) const;
  void arm();
  void wake();

  const Routes& routes_;
  std::optional<simgrid::s4u::Engine> engine_;
  std::optional<Network> network_;
  std::deque<SharedFlow> all_;
  Run run_;
  std::optional<SlowMotion> time_;  // none until flows share a link in this run
  std::uint64_t flowing_ = 0;
  Seconds since_;            // date since which flows have been running
  double engine_since_ = 0;  // the same on the engine's clock
  double horizon_ = 0;       // date up to which the engine's precision holds
  simgrid::kernel::timer::Timer* timer_ = nullptr;
  double armed_ = 0;  // the timer's date
};

}  // namespace spillway
