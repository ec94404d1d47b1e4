// The SimGrid replay: an order, its prices and a cluster give a Timeline in which links are really shared.
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

// The devices a pipeline runs on. Without a platform the network is ideal: every communication event takes
// its priced time, whatever else is under way.
struct Fabric {
  Pipeline pipeline;
  std::uint32_t members = 1;              // devices per pipeline rank: TP x CP
  std::optional<Platform> platform = {};  // enough devices for ranks x members x replicas
  // Most ranks x replicas of an order, where modules lie on smaller ranks than the pipeline's.
  std::uint32_t slots = 0;
};

// What is kept of a step whose order is streamed.
struct StreamedReplay {
  struct Computing {
    Seconds first_start;
    Seconds last_end;
  };
  Seconds end;
  std::vector<Computing> ranks;
};

// Owns SimGrid's one engine, which there is from the first flows on that share a link, so at most one Replay
// may exist at a time: on one thread that is a contract, one of another thread waits. Another may follow it,
// with another fabric. Keep one where it serves: SimGrid is slower at each new engine of a process. Two
// equal runs agree to the last digit, whatever ran before (to 1e-9 of their makespan with a SimGrid whose
// clock cannot be put back: sim/clock.h).
class Replay {
 public:
  explicit Replay(const Fabric& fabric);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // Activities start when they become ready. Never earlier than the longest path; equal to it (to 1e-9 of
  // the makespan) where no link is shared. Contract: the pipeline of `derived` needs at most the
  // fabric's ranks x replicas, and `prices` covers its order.
  Timeline run(const Derived& derived, const Prices& prices);
  // A run with the collectives inside computing events as flows (sim/execution.h). Where nothing else
  // is on their links, an event takes as long as it is priced.
  Timeline run(const Derived& derived, const Prices& prices, const Breakdown& inside);
  // A step whose order is streamed, not held: in memory that grows with the ranks and with what is under way.
  // Contract: one replica, of at most the fabric's ranks.
  StreamedReplay run(const OrderStream& order, const Pricing& pricing);

 private:
  struct Simulation;
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace spillway
