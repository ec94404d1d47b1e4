// The (max,+) eigenvalue of a timed event graph: its maximum cycle ratio.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// `to` in period k waits for `from` in period k - tokens, which lasts `weight`. Tokens may be negative on an
// edge where periods were numbered freely, never round a cycle.
struct TokenEdge {
  std::uint32_t from;
  std::uint32_t to;
  Seconds weight;
  std::int32_t tokens;
};

struct CriticalCycle {
  Seconds weight;                    // of all its edges
  std::uint32_t tokens;              // periods from one turn to the next
  std::vector<std::uint32_t> nodes;  // in order

  Seconds ratio() const { return weight / tokens; }
};

// The cycle with the largest weight per token. Boost.Graph's Howard policy iteration, and a proof that no
// cycle beats what it found. Contract: strongly connected, with a cycle; nodes 0..nodes-1; every cycle has
// positive tokens and no edge negative weight.
CriticalCycle critical_cycle(std::uint32_t nodes, std::span<const TokenEdge> edges);

}  // namespace spillway
