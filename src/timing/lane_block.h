// Lanes side by side in vector registers. Private to src/timing.
#pragma once

#include <cstdint>

namespace spillway {

// Two lanes in one register of any x86-64 or 64-bit ARM; read from wherever doubles lie. Its operators are
// the lanes' own, so that a lane's bits do not depend on its neighbours. Left to itself, g++ 12 unrolls a
// loop over a known number of lanes before it would vectorise it.
using TwoLanes = double __attribute__((vector_size(16), aligned(8), may_alias));

// The lanes taken at a time: a cache line of them, so that a predecessor costs one miss at most.
inline constexpr std::uint32_t kBlockLanes = 8;
inline constexpr std::uint32_t kBlockVectors = kBlockLanes / 2;

// Lane by lane std::max.
template <class Vector>
Vector later(Vector a, Vector b) {
  return a < b ? b : a;
}

}  // namespace spillway
