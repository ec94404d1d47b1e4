// A step read as its regions, composed along their seams. README.md beside this file has the argument.
#pragma once

#include <span>
#include <vector>

#include "base/quantity.h"
#include "derive/derive.h"
#include "maxplus/denotation.h"
#include "order/durations.h"

namespace spillway {

// Two parts as one: outputs of each that are inputs of the other are joined, in both directions, and stay
// outputs. Least fixed point of the joined equations. Commutative, and associative where three parts meet.
// Cost: outputs^2 x inputs. Contract: no output in common; no output waits for itself, nor for a later one.
TransferFunction compose(const TransferFunction& a, const TransferFunction& b);

// `part` with these outputs alone. Contract: they ascend and are outputs of `part`.
TransferFunction restrict_to(const TransferFunction& part, std::span<const Port> outputs);

// The order's events by region, then by seam (the collectives between two regions), then the end of the step:
// a partition, each part ascending, none empty.
std::vector<std::vector<EventId>> parts_along_seams(const Derived& derived);

// All parts as one, from left to right; what no later part waits for is no longer an output once it has been
// read, and what nobody reads stays. Contract: no output in common.
TransferFunction compose_all(std::span<const TransferFunction> parts);

// The end of the last event, read from the regions' denotations. For steps of some thousand events: a
// region's matrix grows with the square of its hand-overs. Larger ones: max_plus_makespan.
Seconds makespan_by_regions(const Derived& derived, const Durations& durations);

}  // namespace spillway
