// What warm-up slack, encoder work and spill are about (paper section 3.3): the work of a transposed region,
// and the Sharded region that it feeds, before which a rank idles. Regions, whatever their blocks are called.
#pragma once

#include <optional>

#include "derive/derive.h"
#include "order/durations.h"

namespace spillway {

struct Feeding {
  RegionId transposed;
  RegionId fed;
};

// The first such pair, input first; none where no transposed region feeds a Sharded one.
std::optional<Feeding> feeding_of(const Outline& outline);

// Does the event compute in the transposed region, or, of transposed_forward, its forward? False without one.
bool is_transposed_work(const Outline& outline, const std::optional<Feeding>& feeding, const Event& event);
bool is_transposed_forward(const Outline& outline, const std::optional<Feeding>& feeding, const Event& event);

// The same durations with that work free, transfers as they are: exposed encoder time compares with them.
Durations transposed_free(const Derived& derived, Durations durations);

// Does the event carry what the transposed region has made to the Sharded one?
bool feeds(const Outline& outline, const Feeding& feeding, const Event& event);

}  // namespace spillway
