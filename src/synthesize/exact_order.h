// The best order of the passes of a small step, with proof.
//
// Idea: some best order is active, which means that no pass could start earlier without a delay of another.
// Giffler and Thompson's branching lists all active orders: take the rank on which a pass can end first, and
// branch on the passes of this rank that can start before that end. A branch is cut if its bound is not below
// the best step so far: the work that a rank has left, with the tails that follow it, or a pass that has
// ended and its tail.
//
// Cost: exponential; 24 passes take milliseconds to seconds, so the number of nodes is limited. Source: B.
// Giffler, G. L. Thompson, Algorithms for solving production-scheduling problems, Operations Research 8
// (1960). Test: tests/synthesize/order_search_test.cpp, against a search of its own.
#pragma once

#include <cstdint>
#include <optional>

#include "synthesize/pass_needs.h"

namespace spillway {

// Returns the sequences with the least step below `known`; nothing if no order is below it, or if `nodes`
// were not enough to know. Sets `nodes` to the number that is left: 0 if nothing is proved. Contract:
// transfers block no rank.
std::optional<PassSequences> exact_order(const PassNeeds& needs, std::uint32_t ranks, Seconds known,
                                         std::uint64_t& nodes);

}  // namespace spillway
