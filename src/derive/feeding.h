// The regions behind warm-up slack, encoder work and spill (paper section 3.3): the transposed regions that
// feed one Sharded region, and that region, for which a rank waits idle. There is one transposed region, or
// one for each input. The names of blocks do not matter.
#pragma once

#include <optional>

#include "derive/derive.h"
#include "order/durations.h"

namespace spillway {

struct Feeding {
  RegionId first;  // the transposed regions: from this one to the one before `fed`
  RegionId fed;

  bool is_transposed(RegionId region) const { return first <= region && region < fed; }
};

// The first such regions, input first; none if no transposed region feeds a Sharded one.
std::optional<Feeding> feeding_of(const Outline& outline);

// is_transposed_work: the event computes in a transposed region of these. is_transposed_forward: it computes
// a forward there. Both are false without such regions.
bool is_transposed_work(const Outline& outline, const std::optional<Feeding>& feeding, const Event& event);
bool is_transposed_forward(const Outline& outline, const std::optional<Feeding>& feeding, const Event& event);

// The durations with that work free and transfers unchanged. Exposed encoder time is the difference to them.
Durations transposed_free(const Derived& derived, Durations durations);

// Returns true if the event transfers an output of a transposed region to the Sharded one.
bool feeds(const Outline& outline, const Feeding& feeding, const Event& event);

}  // namespace spillway
