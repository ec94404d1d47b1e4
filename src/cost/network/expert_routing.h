// The destinations of a routed token's copies, and the groups in which an expert-parallel group sends tokens
// to their experts and back.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/network/device_group.h"
#include "cost/network/parallelism.h"
#include "platform/platform.h"

namespace spillway {

// A token is sent to `chosen` of the experts. With node-limited routing (arXiv 2412.19437, section 2.1.2) the
// experts lie in equal consecutive groups, and a token's experts are chosen from only `chosen_groups` of
// them.
struct ExpertRouting {
  std::uint32_t experts = 0;  // 0: none
  std::uint32_t chosen = 0;
  std::uint32_t groups = 1;
  std::uint32_t chosen_groups = 1;

  friend bool operator==(const ExpertRouting&, const ExpertRouting&) = default;
};

// The experts lie in `parts` equal consecutive runs, one on each device or node. Return the expected number
// of runs that a token reaches. With n experts in G groups, g groups chosen and all choices equally likely, a
// run with j groups among the chosen ones is missed with probability C(g n/G - a_j, k) / C(g n/G, k). Here
// a_j counts its experts in them, k is `chosen`, and j is hypergeometric. If neither of parts and G divides
// the other, the limit is left out. Contract: 1 <= chosen <= experts in the chosen groups; 1 <= parts <=
// experts.
double parts_reached(const ExpertRouting& routing, std::uint32_t parts);

// An all-to-all of the whole group, or of parts of it like this one, side by side.
struct ExchangeLevel {
  DeviceGroup group;
  double copies;  // per token that a device holds
};

// PerExpert has one level: a copy for every chosen expert. PerNode has two: among counterparts of the nodes,
// a copy for every node that a token reaches; inside a node, a copy for every device. It has only the latter
// if the group lies in one node, or unevenly on several. Contract: `group` is consecutive; there are experts,
// at least one for each device of the group.
std::vector<ExchangeLevel> exchange_levels(const Platform& platform, const DeviceGroup& group,
                                           ExpertDispatch dispatch, const ExpertRouting& routing);

}  // namespace spillway
