// The sequence of computing events of each rank. Private to src/derive.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/assemble.h"
#include "derive/compute_events.h"
#include "derive/dependencies.h"

namespace spillway {

using Sequences = std::vector<std::vector<std::uint32_t>>;  // by rank: computing events in execution order

// The sequences by the skeletons' orders, with the passes that run in place.
Sequences sequences_by_skeleton(const OrderParts& parts, const ComputeEvents& events);

// The pipelined bodies in the skeletons' own orders, enclosed. Contract: formula_suffices, or regions that
// are transposed after the input run InPlace.
Sequences sequences_by_formula(const OrderParts& parts, const ComputeEvents& events);

// The body of an order whose last region is transposed and runs in Turns. `all` and `waits` are as below.
// Contract: every region is trained, and kept_body ordered the other regions.
Sequences sequences_in_turns(const OrderParts& parts, const ComputeEvents& events, std::span<const Event> all,
                             const Waits& waits);

// A body ordered by list scheduling, enclosed. `all` has every event so far; `waits` has the dependencies of
// computing events. Contract: neither formula_suffices nor InPlace.
Sequences sequences_by_list(const OrderParts& parts, const ComputeEvents& events, std::span<const Event> all,
                            const Waits& waits);

// Encloses the bodies if there are transposed inputs: a rank's own encodes before its body, and their
// backwards after it, both in microbatch order; those of one microbatch in the order of the inputs, and in
// reverse. Else returns the bodies.
Sequences enclosed(const OrderParts& parts, const ComputeEvents& events, const Sequences& body);

}  // namespace spillway
