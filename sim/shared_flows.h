// Flows that share links, as SimGrid runs them.
//
// SimGrid's engine runs while there are such flows, and stands otherwise; meanwhile a timer of its kernel
// stops it at every date of the agenda.
//
// SimGrid's own bookkeeping is kept off the path: an activity object serves many flows, one after the other.
// SimGrid 3.32 appends each new one to a list of its actor (here the maestro) and scans the whole list when
// one ends, which for N flows at once is N^2 steps; one that is started again is in no list, and a new one is
// taken out of it by failing once. The flow travels in the activity's user data: no lookup by pointer, no
// name.
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

// How exact a run has to be (sim/clock.h), and how long its longest flow is.
struct RunScale {
  Seconds least;
  std::uint64_t dates;
  Bytes largest;
};

class SharedFlows {
 public:
  // What a run does: whose dates these are, what happens at them, and what when a flow ends.
  struct Run {
    Agenda* agenda;
    std::function<void()> next;  // takes what is next on the agenda
    std::function<void(Route&, Token)> ended;
    std::function<RunScale()> scale;  // asked for when flows share a link for the first time
  };

  // Keeps `routes`. There is an engine of SimGrid's from the first flow on.
  explicit SharedFlows(const Routes& routes) : routes_(routes) {}
  SharedFlows(const SharedFlows&) = delete;
  SharedFlows& operator=(const SharedFlows&) = delete;

  // Contract: nothing flows.
  void serve(Run run);

  bool any() const { return flowing_ > 0; }
  // Now. Contract: more than no bytes; the route's ends count it already.
  void start(Route& route, Bytes bytes, Token token);
  // Until nothing flows any more.
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
  std::optional<SlowMotion> time_;  // none before flows share a link in this run
  std::uint64_t flowing_ = 0;
  Seconds since_;            // from when on something has flowed
  double engine_since_ = 0;  // the same on the engine's clock
  double horizon_ = 0;       // of the engine's precision
  simgrid::kernel::timer::Timer* timer_ = nullptr;
  double armed_ = 0;  // the timer's date
};

}  // namespace spillway
