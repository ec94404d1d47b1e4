// Orders of microbatches, made once the sizes of a step are known.
#pragma once

#include <array>
#include <vector>

#include "experiment/microbatch_order.h"
#include "optimize/reordered_costs.h"

namespace spillway {

// The orders that follow from weights alone.
inline constexpr std::array<MicrobatchOrder, 3> kOrderRules = {
    MicrobatchOrder::AsSampled, MicrobatchOrder::HeaviestFirst, MicrobatchOrder::LightestFirst};

// Returns a list of weights for each replica, by microbatch as sampled. A weight is the microbatch's forward
// in the transposed region that feeds a pipelined one. It is the whole forward if there is no such region, or
// if that region takes the same for all microbatches of each replica, within 1e-9 of a forward. Weights that
// differ by less are made equal.
std::vector<std::vector<Seconds>> microbatch_weights(const Outline& derived, const Pricing& pricing);

// Returns one permutation for each replica, by its own weights. Contract: `order` is one of kOrderRules.
std::vector<Permutation> order_by_rule(MicrobatchOrder order,
                                       const std::vector<std::vector<Seconds>>& weights);

// Returns one permutation for each replica, by MicrobatchOrder::FillIntervals (interval_order.cpp).
std::vector<Permutation> order_for_intervals(const Outline& derived, const Pricing& pricing);

// Returns one permutation for each replica, from the costs of this step. Deterministic. Makespan searches
// replicas that advance together as one group, and each other replica by itself. This loses nothing, since
// replicas meet only at reductions, after which the step ends. No replica's longest path is then longer than
// under any of kOrderRules.
std::vector<Permutation> order_microbatches(MicrobatchOrder order, const Derived& derived,
                                            const CostModel& as_sampled);

}  // namespace spillway
