// SimGrid activities as the replay uses them: started when ready, one number back when done.
//
// SimGrid's own bookkeeping is kept off the path of every event:
// - An activity object serves many events, one after the other. SimGrid 3.32 appends each new one to a list
//   of its actor (here the maestro) and scans the whole list when it ends; one that is started again is in no
//   list. At 512 ranks the scan was half of the run.
// - The event's number travels in the activity's user data: no lookup by pointer, no name.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <simgrid/s4u/Comm.hpp>
#include <simgrid/s4u/Exec.hpp>
#include <utility>
#include <vector>

#include "sim/network.h"

namespace spillway {

class Activities {
 public:
  // What the caller knows an activity by.
  using Token = std::uint32_t;
  using Done = std::function<void(Token)>;

  struct Running {
    simgrid::s4u::ActivityPtr activity;
    Activities* owner;
    Token token;
    std::vector<Running*>* idle;  // where it goes when done
  };
  // Where work runs, with the activities that ran there and are free to run again.
  struct Device {
    simgrid::s4u::Host* host;
    std::vector<Running*> idle = {};
  };
  struct Route {
    Path path;
    std::vector<Running*> idle = {};
  };

  Activities();
  Activities(const Activities&) = delete;
  Activities& operator=(const Activities&) = delete;

  // `done` is called at the moment an activity ends, inside the engine's run. Set while nothing runs.
  void report_to(Done done) { done_ = std::move(done); }

  // Work of this many seconds on the device's host, which does one per second.
  void compute(Device& device, double seconds, Token token);
  // This many units of length. Contract: at least one.
  void flow(Route& route, std::uint64_t units, Token token);

 private:
  template <class Make>
  Running& take(std::vector<Running*>& idle, Token token, Make make);
  void completed(Running& running);

  Done done_;
  std::deque<Running> all_;
};

}  // namespace spillway
