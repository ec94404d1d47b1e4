// What has arrived at a rank and waits for the pass that it is for: the outputs of transposed regions, and
// the gradients that go back to them. Private to src/memory.
#pragma once

#include <vector>

#include "cost/slabs/footprint.h"
#include "derive/derive.h"
#include "timing/timeline.h"

namespace spillway {

bool crosses_a_transposed_seam(const Event& event);

struct Arrival {
  Seconds since;  // the start of its transfer, which writes it
  Bytes bytes;
  EventId taken_by;  // the computing event whose start ends the wait
};

// By rank, in the order of time: what crosses a seam of a transposed region, counted where it takes a place.
// What is sent for the next step waits until this one ends, and that of the step before from its beginning
// on. Linear in the events but for the sorting. Contract: `timeline` runs `derived`.
std::vector<std::vector<Arrival>> arrivals(const Derived& derived, const Footprints& footprints,
                                           const Timeline& timeline, ReplicaId replica);

}  // namespace spillway
