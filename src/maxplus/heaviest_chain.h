// The heaviest chain of a relation among few things. Private to src/maxplus. Tests:
// tests/maxplus/heaviest_chain_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// Indices, each of which follows the one before it, with the largest sum of weights; of equals, the first to
// begin. follows[i]: what comes after i. None where things follow each other in a circle. Linear in the
// relation. Contract: weights are not negative; one list for each.
std::optional<std::vector<std::size_t>> heaviest_chain(std::span<const Seconds> weights,
                                                       std::span<const std::vector<std::size_t>> follows);

}  // namespace spillway
