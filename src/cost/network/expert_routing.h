// Where the copies of a routed token go, and the groups in which an expert-parallel group sends tokens to
// their experts and back.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/network/device_group.h"
#include "cost/network/parallelism.h"
#include "platform/platform.h"

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

// An all-to-all, of the whole group or side by side in parts of it like this one.
struct ExchangeLevel {
  DeviceGroup group;
  double copies;  // of each token that a device holds
};

// PerExpert, one level: a copy for every chosen expert. PerNode: among counterparts of the nodes, one for
// every node that a token reaches, and inside a node, one for every device; the latter alone where the group
// lies in one node or lies unevenly on several. Contract: `group` is consecutive; there are experts, at least
// one for each device of the group.
std::vector<ExchangeLevel> exchange_levels(const Platform& platform, const DeviceGroup& group,
                                           ExpertDispatch dispatch, const ExpertRouting& routing);

}  // namespace spillway
