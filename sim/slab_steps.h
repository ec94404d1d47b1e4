// The collectives inside a computing event as steps of flows. No SimGrid here.
//
// A collective runs as the steps of its algorithm (cost/network/collective_algorithms.h). Its repetitions are
// folded: each step carries the bytes and the latency of all of them, the first what they take once besides.
// A measured one, whose steps nobody knows, runs as those of a ring (all-to-all: of the mesh), with the bytes
// that ports carry at least (cost/network/collective_layout.h), as fast as the ports are, behind one delay.
// On an idle fabric a collective takes what it is priced at: what its steps leave of that is delay too, so
// that no price changes what a link carries. Only steps that take longer than the price are shortened, all by
// one factor.
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
  bool whole_port = false;  // not held to what a pair gets
};

struct SlabSteps {
  std::vector<SlabStep> exposed;
  std::vector<SlabStep> hidden;
  Seconds exposed_time;  // of all exposed steps on an idle fabric

  bool empty() const { return exposed.empty() && hidden.empty(); }
};

// Of the replicas [lane, lane + event.joined_replicas). Contract: they list the same operations.
SlabSteps slab_steps(const Platform& platform, const Breakdown& inside, const Event& event,
                     std::uint32_t lane);
// Of every event, by event and the first replica of each group: [event * lanes + lane].
std::vector<SlabSteps> slab_steps(const Platform& platform, const Breakdown& inside, const Order& order,
                                  std::uint32_t lanes);

// How long a step takes on an idle fabric on which flows share ports.
Seconds idle_time(const Platform& platform, const SlabStep& step);

}  // namespace spillway
