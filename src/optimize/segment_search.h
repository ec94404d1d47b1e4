// Orders of a pipeline that is cut into segments, searched for the sizes of a step.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "experiment/experiment.h"
#include "optimize/ordered_draws.h"
#include "schedule/segments.h"

namespace spillway {

// The time of an item in a stage, by [segment][rank][item], and of a transfer between ranks.
struct SegmentTimes {
  std::vector<std::vector<std::vector<Seconds>>> forward, backward;
  Seconds transfer;
};

// Searches for a greedy order with two queues on each rank, forwards and backwards. A rank takes from both
// queues in turn if both have an item, else the item that can begin first. Forwards queue in an order that
// starts as that of interleaved 1F1B. A try exchanges two of them that are at most P microbatches apart, and
// keeps the exchange if the last item ends earlier. The number of tries and the seed of the generator are
// fixed, so the search is deterministic. In the first segment, no rank has more microbatches in flight than
// interleaved 1F1B has on its first rank.
std::vector<RankOrder> searched_segments(const SegmentShape& shape, const SegmentTimes& times,
                                         std::uint32_t tries);

// Returns a number of tries that takes little time compared with running.
std::uint32_t affordable_tries(const SegmentShape& shape);

// Returns the schedule of `derived` in the order found for the mean times of the models over replicas and
// draws. Contract: `derived` has one listed region with the rule's segments; the models are of `derived`.
Schedule searched_schedule(const SegmentRule& rule, const Derived& derived, const CostModels& models);

}  // namespace spillway
