// Reads a step as its regions, composed along their seams. The argument is in src/maxplus/README.md.
#pragma once

#include <span>
#include <vector>

#include "base/quantity.h"
#include "derive/derive.h"
#include "maxplus/denotation.h"
#include "order/durations.h"

namespace spillway {

// Joins two parts: outputs of each that are inputs of the other, both ways; they stay outputs. The result is
// the least fixed point of the joined equations. Commutative; associative where three parts meet. Cost:
// outputs^2 x inputs. Contract: no output in common; no output waits for itself, nor for a later one.
TransferFunction compose(const TransferFunction& a, const TransferFunction& b);

// Returns `part` with these outputs alone. Contract: they ascend and are outputs of `part`.
TransferFunction restrict_to(const TransferFunction& part, std::span<const Port> outputs);

// Returns the order's events by region, then by seam (the collectives between two regions), then the end of
// the step. It is a partition: each part ascends, and none is empty.
std::vector<std::vector<EventId>> parts_along_seams(const Derived& derived);

// Composes all parts from left to right. An output that later parts have all read is dropped; an output that
// no part reads stays. Contract: no output in common.
TransferFunction compose_all(std::span<const TransferFunction> parts);

// Returns the end of the last event, from the regions' denotations. Suits steps of some thousand events,
// since a region's matrix grows with the square of its hand-overs. For larger ones use max_plus_makespan.
Seconds makespan_by_regions(const Derived& derived, const Durations& durations);

}  // namespace spillway
