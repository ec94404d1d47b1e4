// MicrobatchOrder::FillIntervals, after DistTrain's order of microbatches (arXiv 2408.04275, its
// inter-microbatch reordering): forwards of the first stage, an encoder's as a rule, fill what it waits
// between backwards. Its algorithm was not at hand: the idea is theirs, the intervals' closed forms are ours.
//
//   stage 0  F1 | F2 F3 F4 . B1 | F5 . B2 | F6 B3 | . B4 | . B5 | . B6
//                 the first        one each           none left
//
// Of four stages three forwards fill the first interval, one each a later one.
//
// 1. The lightest comes first, so that all stages begin soon. 2. The next lightest, one for each stage but
// the first, come last: their intervals nothing fills. 3. Between them each place takes the one whose forward
// is nearest to the interval that it is to fill. The first interval is what the other stages take for a
// microbatch, there and back, shared by its forwards; a later one what the slowest of them takes for forward
// and backward, without the first stage's backward before. Microbatches that take the same stay as sampled.
// One stage waits for none, and takes them as sampled. Time M^2 and M x stages a replica. Test:
// tests/systems/reordering_test.cpp.
#pragma once

#include <vector>

#include "optimize/reordered_costs.h"

namespace spillway {

// One permutation per replica.
std::vector<Permutation> order_for_intervals(const Outline& derived, const Pricing& pricing);

}  // namespace spillway
