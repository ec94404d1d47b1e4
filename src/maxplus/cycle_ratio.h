// The (max,+) eigenvalue of a timed event graph: its maximum cycle ratio.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// `to` in period k waits for `from` in period k - tokens; `from` lasts `weight`. Tokens of an edge may be
// negative, because periods are numbered freely; the tokens of a cycle are positive.
struct TokenEdge {
  std::uint32_t from;
  std::uint32_t to;
  Seconds weight;
  std::int32_t tokens;
};

struct CriticalCycle {
  Seconds weight;                    // sum over its edges
  std::uint32_t tokens;              // periods from one turn to the next
  std::vector<std::uint32_t> nodes;  // in order

  Seconds ratio() const { return weight / tokens; }
};

// Returns the cycle with the largest weight per token. It runs Boost.Graph's Howard policy iteration, and
// then proves that no cycle has a larger ratio. Contract: strongly connected, with a cycle; nodes 0..nodes-1;
// every cycle has positive tokens and no edge negative weight.
CriticalCycle critical_cycle(std::uint32_t nodes, std::span<const TokenEdge> edges);

}  // namespace spillway
