// Placement and collectives -> the order graph. Private to src/derive.
#pragma once

#include <variant>
#include <vector>

#include "derive/compute_events.h"
#include "derive/plan.h"

namespace spillway {

using Sequences = std::vector<std::vector<std::uint32_t>>;  // by rank: computing events in execution order

// The encodes a rank owns when the input region is transposed, the pipelined bodies, the transposed input
// region's backwards. Contract: formula_suffices.
Sequences sequences_by_formula(const Plan& plan, const ComputeEvents& events);

// The same frame around a body that is put in order by list scheduling. Contract: every region runs a
// backward. `waits` are pairs of computing events, the second of which needs the first.
using Waits = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
Sequences sequences_by_list(const Plan& plan, const ComputeEvents& events, std::span<const Event> computing,
                            const Waits& waits);

std::variant<Order, Cycle> assemble_order(const Plan& plan);

}  // namespace spillway
