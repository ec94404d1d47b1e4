// The pair of regions behind warm-up slack, encoder work and spill (paper section 3.3): a transposed region,
// and the Sharded region that it feeds, for which a rank waits idle. The names of blocks do not matter.
#pragma once

#include <optional>

#include "derive/derive.h"
#include "order/durations.h"

namespace spillway {

struct Feeding {
  RegionId transposed;
  RegionId fed;
};

// The first such pair, input first; none if no transposed region feeds a Sharded one.
std::optional<Feeding> feeding_of(const Outline& outline);

// is_transposed_work: the event computes in the transposed region. is_transposed_forward: it computes a
// forward there. Both are false without such a region.
bool is_transposed_work(const Outline& outline, const std::optional<Feeding>& feeding, const Event& event);
bool is_transposed_forward(const Outline& outline, const std::optional<Feeding>& feeding, const Event& event);

// The durations with that work free and transfers unchanged. Exposed encoder time is the difference to them.
Durations transposed_free(const Derived& derived, Durations durations);

// Returns true if the event transfers an output of the transposed region to the Sharded one.
bool feeds(const Outline& outline, const Feeding& feeding, const Event& event);

}  // namespace spillway
