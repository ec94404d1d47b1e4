// Where the copies of a routed token go.
#pragma once

#include <cstdint>

namespace spillway {

// A token is sent to `chosen` of the experts. With node-limited routing (arXiv 2412.19437, section 2.1.2) the
// experts lie in equal consecutive groups, and only those of `chosen_groups` of them stand for choice.
struct ExpertRouting {
  std::uint32_t experts = 0;  // 0: none
  std::uint32_t chosen = 0;
  std::uint32_t groups = 1;
  std::uint32_t chosen_groups = 1;

  friend bool operator==(const ExpertRouting&, const ExpertRouting&) = default;
};

// The experts lie in `parts` equal consecutive runs, one on each device or node: the expected number of runs
// that a token reaches. Of n experts in G groups, g chosen, all choices alike likely, a run with j groups
// among those chosen is missed with probability C(g n/G - a_j, k) / C(g n/G, k), a_j its experts in them, and
// j is hypergeometric. Where neither of parts and G divides the other, the limit is left out.
// Contract: 1 <= chosen <= experts in the chosen groups; 1 <= parts <= experts.
double parts_reached(const ExpertRouting& routing, std::uint32_t parts);

}  // namespace spillway
