#include "sim/replay.h"

#include <xbt/log.h>

#include <simgrid/s4u/Engine.hpp>
#include <utility>

#include "base/error.h"
#include "sim/activities.h"
#include "sim/cluster.h"
#include "sim/execution.h"
#include "sim/turn.h"

namespace spillway {
namespace {

// CM02 without TCP's effects: a flow alone takes latency + bytes / bandwidth, flows on one link share it.
// SimGrid takes a model once per process. https://simgrid.org/doc/v3.32/Configuring_SimGrid.html
void configure() {
  using simgrid::s4u::Engine;
  static bool configured = false;
  if (std::exchange(configured, true)) return;
  xbt_log_control_set("xbt_cfg.thres:warning");
  Engine::set_config("network/model", std::string("CM02"));
  Engine::set_config("network/TCP-gamma", 0.0);
  Engine::set_config("network/crosstraffic", false);
  Engine::set_config("network/latency-factor", 1.0);
  Engine::set_config("network/bandwidth-factor", 1.0);
  Engine::set_config("surf/precision", kFlowLatency);  // until a run chooses its own
}

const char* of_this_process() {
  ensure(!simgrid::s4u::Engine::has_instance(), "one replay at a time: SimGrid has one engine");
  return "spillway";
}

}  // namespace

struct Replay::Simulation {
  explicit Simulation(const Fabric& fabric) : engine(of_this_process()), cluster((configure(), fabric)) {
    engine.seal_platform();
  }

  SimGridTurn turn = {};
  simgrid::s4u::Engine engine;
  Cluster cluster;
  Activities activities;
};

Replay::Replay(const Fabric& fabric) : simulation_(std::make_unique<Simulation>(fabric)) {}

Replay::~Replay() = default;

Timeline Replay::run(const Derived& derived, const Prices& prices) {
  return Execution(derived, prices, nullptr, simulation_->cluster, simulation_->activities).run();
}

Timeline Replay::run(const Derived& derived, const Prices& prices, const Breakdown& inside) {
  return Execution(derived, prices, &inside, simulation_->cluster, simulation_->activities).run();
}

}  // namespace spillway
