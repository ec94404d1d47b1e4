// The SimGrid replay turns an order, its prices and a cluster into a Timeline in which flows share links.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cost/cost_model.h"
#include "derive/derive.h"
#include "derive/order_stream.h"
#include "platform/platform.h"
#include "timing/timeline.h"

namespace spillway {

// The devices that a pipeline runs on. Without a platform the network is ideal: every communication event
// takes its price, whatever else is running.
struct Fabric {
  Pipeline pipeline;
  std::uint32_t members = 1;              // devices per pipeline rank: TP x CP
  std::optional<Platform> platform = {};  // enough devices for ranks x members x replicas
  // The largest ranks x replicas of an order, if modules use smaller ranks than the pipeline's.
  std::uint32_t slots = 0;
};

// The results that are kept of a step whose order is streamed.
struct StreamedReplay {
  struct Computing {
    Seconds first_start;
    Seconds last_end;
  };
  Seconds end;
  std::vector<Computing> ranks;
};

// Owns SimGrid's only engine, which exists from the first flows on that share a link. So at most one Replay
// may exist at a time. On one thread this is a contract; a Replay of another thread waits. A Replay with
// another fabric may follow. Keep a Replay as long as it serves: SimGrid gets slower with each new engine of
// a process. Two equal runs agree to the last digit, whatever ran before (to 1e-9 of their makespan if
// SimGrid's clock cannot be reset: sim/simgrid/clock.h).
class Replay {
 public:
  explicit Replay(const Fabric& fabric);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // Activities start when they become ready. The run is never earlier than the longest path, and equal to it
  // (to 1e-9 of the makespan) if no link is shared. Contract: the pipeline of `derived` needs at most the
  // fabric's ranks x replicas, and `prices` covers its order.
  Timeline run(const Derived& derived, const Prices& prices);
  // The same, with the collectives inside computing events as flows (sim/execution.h). If nothing else uses
  // their links, an event takes its price.
  Timeline run(const Derived& derived, const Prices& prices, const Breakdown& inside);
  // Runs a step whose order is streamed, not held. Memory grows with the ranks and the running events.
  // Contract: one replica, and at most the fabric's ranks.
  StreamedReplay run(const OrderStream& order, const Pricing& pricing);

 private:
  struct Simulation;
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace spillway
