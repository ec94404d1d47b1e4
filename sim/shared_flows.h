// Runs the flows that share links in SimGrid, which is loaded when flows share a link for the first time.
//
// Loading SimGrid takes 0.05 s, of which 0.04 are ns-3's, on which Debian's SimGrid rests. In 14 of the 24
// shipped experiments no flows share a link. So programs do not link SimGrid. The part that does is a module
// beside the program (sim/simgrid/). What links that part itself, as the library and the Python module do,
// loads nothing.
#pragma once

#include <memory>

#include "sim/flows/flow_engine.h"

namespace spillway {

// Loads SimGrid now. A process that is forked afterwards need not. Throws InputError if its module is not
// there, or of another build.
void load_simgrid();

class SharedFlows {
 public:
  // Keeps a reference to `routes`.
  explicit SharedFlows(const Routes& routes) : routes_(routes) {}

  // These are as in FlowEngine, but start() throws as load_simgrid() does, and something flows when run() is
  // called.
  void serve(RunWithFlows run);
  bool any() const { return engine_ && engine_->any(); }
  void start(Route& route, Bytes bytes, ActivityToken token);
  void run() { engine_->run(); }

 private:
  const Routes& routes_;
  RunWithFlows run_;
  std::unique_ptr<FlowEngine> engine_;
};

}  // namespace spillway
