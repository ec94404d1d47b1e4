// Orders of a pipeline cut into segments, searched for what a step holds.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "experiment/experiment.h"
#include "optimize/ordered_draws.h"
#include "schedule/segments.h"

namespace spillway {

// What an item takes in a stage, [segment][rank][item], and a transfer between ranks.
struct SegmentTimes {
  std::vector<std::vector<std::vector<Seconds>>> forward, backward;
  Seconds transfer;
};

// A greedy order by two queues on each rank, forwards and backwards: it takes from both in turn where both
// have something, else what can begin first. Forwards queue in an order that begins as interleaved 1F1B's
// and is searched: two of them, no farther apart than P microbatches take, change places, and stay so where
// the last item ends earlier; always as many tries, by a generator of fixed seed. No rank has more
// microbatches in flight in the first segment than interleaved 1F1B has on its first rank. Deterministic.
std::vector<RankOrder> searched_segments(const SegmentShape& shape, const SegmentTimes& times,
                                         std::uint32_t tries);

// How many tries stay short beside running.
std::uint32_t affordable_tries(const SegmentShape& shape);

// The schedule that `derived` has, in the order that is found for what the models say of it, replicas and
// draws in the mean. Contract: one listed region of the rule's segments; the models are of `derived`.
Schedule searched_schedule(const SegmentRule& rule, const Derived& derived, const CostModels& models);

}  // namespace spillway
