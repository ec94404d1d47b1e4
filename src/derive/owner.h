// Owner maps: the rank that encodes each microbatch. A policy makes one static map for all draws and
// replicas, from expected encode times and the ranks' warm-up slack. Several inputs get their maps together,
// because they share the slack: a policy then sees the encodes of all inputs as one list.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "derive/derive.h"

namespace spillway {

enum class OwnerPolicy {
  RoundRobin,  // microbatch m on rank m mod P, in each input
  Blocked,     // the first M/P microbatches on rank 0, and so on, in each input
  Greedy,      // heaviest encode to the rank with the longest slack left
  MinMax,      // least max_r max(0, E_r - w_r): exact for small cases, else with a bound on the gap
  Makespan     // local search by the longest path, from the best of the others
};

// Every policy by its name.
inline constexpr std::array<std::pair<std::string_view, OwnerPolicy>, 5> kOwnerPolicies{{
    {"round-robin", OwnerPolicy::RoundRobin},
    {"blocked", OwnerPolicy::Blocked},
    {"greedy", OwnerPolicy::Greedy},
    {"min-max", OwnerPolicy::MinMax},
    {"makespan", OwnerPolicy::Makespan},
}};
std::string to_string(OwnerPolicy policy);

// A policy knows the expected encode time per microbatch and the warm-up slack per rank.
struct OwnerProblem {
  std::vector<Seconds> encode;  // by input and microbatch: the microbatches of an input stand together
  std::vector<Seconds> slack;   // by rank: w_r
  std::size_t inputs = 1;

  std::size_t microbatches() const { return encode.size() / inputs; }
};

// The maps of the inputs, from one that lists the microbatches of each input after those of the one before.
std::vector<OwnerMap> by_input(const OwnerMap& owner, std::size_t microbatches);

// max_r max(0, E_r - w_r) under this map.
Seconds max_spill(const OwnerProblem& problem, const OwnerMap& owner);

// A lower bound: no map spills less.
Seconds spill_lower_bound(const OwnerProblem& problem);

struct OwnerChoice {
  OwnerMap owner;     // by input and microbatch, as the problem's encodes
  Seconds spill;      // max_spill of `owner`
  Seconds spill_gap;  // upper bound on the excess over the least spill; 0 if the map is proved best
};

// The makespan of a map, for OwnerPolicy::Makespan.
using MakespanOf = std::function<Seconds(const OwnerMap&)>;

// Deterministic. Only OwnerPolicy::Makespan calls `makespan`, at most `evaluations` times.
OwnerChoice choose_owner(OwnerPolicy policy, const OwnerProblem& problem, const MakespanOf& makespan,
                         std::uint32_t evaluations);

}  // namespace spillway
