// Where two runs part: the first event that is not when, or not where, the other run has it.
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
  std::optional<EventTimes> a;  // nothing where this side has no such event
  std::optional<EventTimes> b;
};

// In the order of time of `a`; of what one side alone has, its own time counts. Events are the same by what
// they do: region by name, stage, microbatch and rank; one that only its rank sets apart is still the same,
// on another rank. Where no region of one side has the name of one of the other's, stages are counted through
// all regions. Replicas are held together as far as both have them. Nothing where no time differs by more
// than 1e-9 of the longer run. O(n log n).
std::optional<Divergence> first_divergence(const SideEvents& a, const SideEvents& b);

}  // namespace spillway
