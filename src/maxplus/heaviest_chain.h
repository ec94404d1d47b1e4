// The heaviest chain of a relation on a small set. Private to src/maxplus. Tests:
// tests/maxplus/heaviest_chain_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// Returns indices, each following the one before it, with the largest sum of weights; a tie goes to the chain
// that begins first. follows[i] lists the elements that follow i. Returns nothing if the relation has a
// cycle. Linear in the relation. Contract: weights are not negative; each has one list.
std::optional<std::vector<std::size_t>> heaviest_chain(std::span<const Seconds> weights,
                                                       std::span<const std::vector<std::size_t>> follows);

}  // namespace spillway
