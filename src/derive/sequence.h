// What each rank computes, one event after the other. Private to src/derive.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/assemble.h"
#include "derive/compute_events.h"
#include "derive/dependencies.h"

namespace spillway {

using Sequences = std::vector<std::vector<std::uint32_t>>;  // by rank: computing events in execution order

// What the skeletons lay down, and what runs in place beside it.
Sequences sequences_by_skeleton(const OrderParts& parts, const ComputeEvents& events);

// The pipelined bodies in the skeletons' own orders, enclosed. Contract: formula_suffices, or what is
// transposed behind the input runs InPlace.
Sequences sequences_by_formula(const OrderParts& parts, const ComputeEvents& events);

// The body of an order whose last region, transposed, runs in Turns. `all` and `waits` as below. Contract:
// every region is trained, and kept_body laid down the rest.
Sequences sequences_in_turns(const OrderParts& parts, const ComputeEvents& events, std::span<const Event> all,
                             const Waits& waits);

// A body put in order by list scheduling, enclosed. `all`: every event that there is so far; `waits`: which
// computing event needs which. Contract: not
// formula_suffices, nor InPlace.
Sequences sequences_by_list(const OrderParts& parts, const ComputeEvents& events, std::span<const Event> all,
                            const Waits& waits);

// Where the input region is transposed: before a rank's body the encodes it owns, behind it their backwards,
// both in microbatch order. Elsewhere the body.
Sequences enclosed(const OrderParts& parts, const ComputeEvents& events, const Sequences& body);

}  // namespace spillway
