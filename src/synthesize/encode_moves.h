// Moves of the passes of transposed inputs: to another rank, and to another time.
//
// Idea: an encode needs nothing, and only the first pipelined pass of its microbatch needs it. So it can
// stand anywhere on any rank before that pass starts, and its backward anywhere after the gradient arrives. A
// move draws a time for each of the two, from the times of the order as it is, and puts the passes before the
// first pass of the chosen rank that starts later. Passes that start in this order cannot wait for each other
// in a circle, so a moved order always runs.
//
//   rank 0  e1 e3 F1 F2 B1 F3 B2 ...        microbatch 3 goes to rank 1, whose warm-up has room for it:
//   rank 1  e2 .  F1 .  B1 F2 B2 ...        e1 F1 F2 ... and e2 e3 F1 ...
//
// Cost: on the same rank one pass over the sequences. Another owner changes what is sent, so the step is
// derived and priced again: 5 to 20 times a try.
#pragma once

#include <functional>

#include "synthesize/priced_step.h"
#include "workload/random_stream.h"

namespace spillway {

using OwnerMaps = std::vector<OwnerMap>;  // by input

OwnerMaps owners_of(const Outline& outline);

// Derives and prices the step with other owners; empty: the owners are fixed.
using WithOwners = std::function<std::shared_ptr<const PricedStep>(const OwnerMaps&)>;

// Gives the passes of `microbatch` in `input` to `rank`, at new times. `ends`: of the order, of which `lane`
// is looked at. Contract: the order has this input; `with_owners` is not empty if the rank is another one.
OwnedOrder with_moved_encode(const OwnedOrder& order, const SequencedStep& ends, std::uint32_t lane,
                             RegionId input, MicrobatchId microbatch, RankId rank,
                             const WithOwners& with_owners, RandomStream& random);

}  // namespace spillway
