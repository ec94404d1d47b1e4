// The point where two runs diverge: the first event whose time or rank differs between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compare/side.h"

namespace spillway {

struct EventTimes {
  RankId rank;
  Seconds start;
  Seconds end;
};

struct Divergence {
  std::string event;  // "forward of microbatch 3 in stage 1 of llm"
  ReplicaId replica;
  std::optional<EventTimes> a;  // nothing if this side has no such event
  std::optional<EventTimes> b;
};

// Returns the earliest event that differs, by its time in `a`, or by its own time if only `b` has it. Events
// match if they have the same kind, region name, stage, microbatch and rank. An event that differs only in
// its rank counts as the same event on another rank. If the sides share no region name, stages are counted
// over all regions. Only replicas that both sides have are compared. Returns nothing if no time differs by
// more than 1e-9 of the longer run. O(n log n).
std::optional<Divergence> first_divergence(const SideEvents& a, const SideEvents& b);

}  // namespace spillway
