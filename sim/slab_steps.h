// Turns the collectives inside a computing event into steps of flows. No SimGrid here.
//
// A collective runs as the steps of its algorithm (cost/network/collective_algorithms.h). Its repetitions are
// folded: each step carries the bytes and latencies of all repetitions, and the first step also their
// one-time latencies. The steps of a measured collective are unknown. It runs as the steps of a ring
// (all-to-all: of the mesh), with the least bytes that ports carry (cost/network/port_load.h), at the rate of
// the ports, after one delay. On an idle fabric a collective takes its price. If its steps take less, the
// rest is a delay, so that prices do not change the load of links. Only if its steps take longer than the
// price are they shortened, all by one factor.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/cost_model.h"
#include "order/order.h"
#include "platform/platform.h"

namespace spillway {

struct SlabStep {
  Seconds latency;  // a delay before the flows
  std::vector<StepFlow> flows;
  bool whole_port = false;  // flows may use more than the bandwidth of one pair
};

struct SlabSteps {
  std::vector<SlabStep> exposed;
  std::vector<SlabStep> hidden;
  Seconds exposed_time;  // total of all exposed steps on an idle fabric

  bool empty() const { return exposed.empty() && hidden.empty(); }
};

// Returns the steps of the replicas [lane, lane + event.joined_replicas). Contract: they list the same
// operations.
SlabSteps slab_steps(const Platform& platform, const Breakdown& inside, const Event& event,
                     std::uint32_t lane);
// Returns the steps of every event, by event and first replica of each group: [event * lanes + lane].
std::vector<SlabSteps> slab_steps(const Platform& platform, const Breakdown& inside, const Order& order,
                                  std::uint32_t lanes);

// Returns the time of a step on an idle fabric on which flows share ports.
Seconds idle_time(const Platform& platform, const SlabStep& step);

}  // namespace spillway
