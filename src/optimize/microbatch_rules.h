// Orders of microbatches, made once the sizes of a step are known.
#pragma once

#include <array>
#include <vector>

#include "experiment/microbatch_order.h"
#include "optimize/reordered_costs.h"

namespace spillway {

// The orders that follow from the weights alone.
inline constexpr std::array<MicrobatchOrder, 3> kOrderRules = {
    MicrobatchOrder::AsSampled, MicrobatchOrder::HeaviestFirst, MicrobatchOrder::LightestFirst};

// By microbatch as sampled: its forward in the transposed region that feeds a pipelined one. Where there is
// none, or that does not tell the microbatches of any replica apart (relative to 1e-9 of a forward), its
// whole forward. Weights that differ by less are made equal. One list per replica.
std::vector<std::vector<Seconds>> microbatch_weights(const Outline& derived, const Pricing& pricing);

// One permutation per replica, each by its own weights. Contract: `order` is one of kOrderRules.
std::vector<Permutation> order_by_rule(MicrobatchOrder order,
                                       const std::vector<std::vector<Seconds>>& weights);

// MicrobatchOrder::FillIntervals (interval_order.cpp). One permutation per replica.
std::vector<Permutation> order_for_intervals(const Outline& derived, const Pricing& pricing);

// One permutation per replica, from what `as_sampled` says of this step. Deterministic. Makespan: replicas
// that advance together are searched together, others each by itself, which loses nothing, since they meet
// at reductions alone, after which only the step ends. No replica's longest path is then longer than under
// any of kOrderRules.
std::vector<Permutation> order_microbatches(MicrobatchOrder order, const Derived& derived,
                                            const CostModel& as_sampled);

}  // namespace spillway
