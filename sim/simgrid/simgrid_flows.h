// The flows that share links, in SimGrid.
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
#include <optional>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Comm.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "sim/flows/flow_engine.h"
#include "sim/flows/route.h"
#include "sim/simgrid/clock.h"
#include "sim/simgrid/network.h"

namespace spillway {

class SimGridFlows;

struct SharedFlow {
  simgrid::s4u::CommPtr comm;
  SimGridFlows* owner;
  Route* route;
  ActivityToken token;
};

class SimGridFlows final : public FlowEngine {
 public:
  // Makes SimGrid's engine. Keeps a reference to `routes`.
  explicit SimGridFlows(const Routes& routes);
  SimGridFlows(const SimGridFlows&) = delete;
  SimGridFlows& operator=(const SimGridFlows&) = delete;

  void serve(RunWithFlows run) override;
  bool any() const override { return flowing_ > 0; }
  void start(Route& route, Bytes bytes, ActivityToken token) override;
  void run() override;

 private:
  void fit();
  SharedFlow& take(Route& route, ActivityToken token);
  void leave_list(const Route& route, simgrid::s4u::Comm& comm) const;
  void completed(SharedFlow& flow);
  Seconds now() const;
  double engine_date(Seconds date) const;
  void arm();
  void wake();

  simgrid::s4u::Engine engine_;
  std::optional<Network> network_;  // made when the engine is configured
  std::deque<SharedFlow> all_;
  RunWithFlows run_;
  std::optional<SlowMotion> time_;  // none until flows share a link in this run
  std::uint64_t flowing_ = 0;
  Seconds since_;            // date since which flows have been running
  double engine_since_ = 0;  // the same on the engine's clock
  double horizon_ = 0;       // date up to which the engine's precision holds
  simgrid::kernel::timer::Timer* timer_ = nullptr;
  double armed_ = 0;  // the timer's date
};

}  // namespace spillway
