// The groups in which an expert-parallel group sends tokens to their experts and back.
#pragma once

#include <vector>

#include "cost/network/device_group.h"
#include "cost/network/expert_routing.h"
#include "cost/network/parallelism.h"
#include "platform/platform.h"

namespace spillway {

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
