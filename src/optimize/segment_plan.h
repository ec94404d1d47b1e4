// The order of a pipeline in segments, searched for some draws. Private to src/optimize.
#pragma once

#include "experiment/segment_rule.h"
#include "optimize/ordered_draws.h"

namespace spillway {

// The schedule that `derived` has, in the order that is found for what the models say of it, replicas and
// draws in the mean. Contract: one listed region of the rule's segments; the models are of `derived`.
Schedule searched_schedule(const SegmentRule& rule, const Derived& derived, const CostModels& models);

}  // namespace spillway
