#include "sim/replay.h"

#include <optional>

#include "sim/cluster.h"
#include "sim/execution.h"
#include "sim/shared_flows.h"
#include "sim/streamed_execution.h"
#include "sim/turn.h"

namespace spillway {

struct Replay::Simulation {
  explicit Simulation(const Fabric& fabric) : cluster(fabric) {
    if (!cluster.ideal()) shared.emplace(cluster.routes());
  }

  Timeline run(const Derived& derived, const Prices& prices, const Breakdown* inside) {
    return Execution(derived, prices, inside, cluster, flows()).run();
  }

  SharedFlows* flows() { return shared ? &*shared : nullptr; }

  ReplayTurn turn;
  Cluster cluster;
  std::optional<SharedFlows> shared;
};

Replay::Replay(const Fabric& fabric) : simulation_(std::make_unique<Simulation>(fabric)) {}

Replay::~Replay() = default;

Timeline Replay::run(const Derived& derived, const Prices& prices) {
  return simulation_->run(derived, prices, nullptr);
}

Timeline Replay::run(const Derived& derived, const Prices& prices, const Breakdown& inside) {
  return simulation_->run(derived, prices, &inside);
}

StreamedReplay Replay::run(const OrderStream& order, const Pricing& pricing) {
  return StreamedExecution(order, pricing, simulation_->cluster, simulation_->flows()).run();
}

}  // namespace spillway
