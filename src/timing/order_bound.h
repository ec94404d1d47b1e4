// A lower bound of the step that holds for every order of the same passes on the same ranks.
//
// Idea: in any order, a pass starts no earlier than the longest chain of passes and transfers that it needs
// (its head). The step goes on behind it for the longest chain that needs it (its tail). A rank runs one pass
// at a time. So a step takes at least as long as one rank would take by itself, if it could begin each pass
// at its head, interrupt it, and had to wait for its tail. The best order of this one-machine problem is
// known: always run the waiting pass with the longest tail (Jackson's preemptive schedule). The bound is the
// largest over the ranks. It covers a rank's work between its warm-up and its drain, the longest chain of a
// microbatch, and passes that can start only when an encode has ended.
//
// Example: equal stages without transfers, forward F, backward B. The last rank waits (P - 1) F, computes
// M (F + B), and its last backward has a tail of (P - 1) B. The bound is (M + P - 1)(F + B), the time of
// 1F1B.
//
// The edges that hold in every order are those that carry data of a microbatch, accumulate gradients or end
// the step. The rules of a schedule for its input (barriers, batches, gradients that leave last) and blocking
// transfers are left out: another order need not keep them. Whole backwards stay whole, and passes that run
// together stay together. Owner maps and layers of stages are those of the order. Transfers take their time
// alone, so no engine is below the bound either.
//
// Cost: O(edges + passes log passes) for each lane. Sources: J. R. Jackson, Scheduling a production line to
// minimize maximum tardiness (1955); J. Carlier, The one-machine sequencing problem, EJOR 11 (1982).
// In 300 random jobs of at most 3 ranks and 3 microbatches, the best of all orders is 1.1 % above the bound
// in the mean, and 20 % at most. Test: tests/timing/order_bound_test.cpp, against closed forms, every order
// of small jobs, and every skeleton.
#pragma once

#include <cstdint>
#include <vector>

#include "order/durations.h"
#include "order/order.h"

namespace spillway {

// The bound, and the rank and lane that need this long.
struct StepBound {
  Seconds step;
  RankId rank = {};
  std::uint32_t lane = 0;
};

// The edges of an order that hold in every order, prepared once for many durations.
class OrderBound {
 public:
  // Views `order`, which outlives it.
  explicit OrderBound(const Order& order);

  // Contract: that of LongestPath::timeline().
  StepBound of(const Durations& durations) const;

 private:
  using Times = PerEvent<Seconds>;

  Times heads(const Durations& durations) const;
  Times tails(const Durations& durations) const;

  const Order& order_;
  OrderRows needed_;                          // by event: the events that it needs in every order
  std::vector<std::vector<EventId>> passes_;  // by rank
};

// A pass of one machine.
struct ReleasedPass {
  Seconds head, duration, tail;
};

// The end of the last tail in Jackson's preemptive schedule of the passes. No order of them ends earlier.
Seconds one_machine_bound(std::vector<ReleasedPass> passes);

}  // namespace spillway
