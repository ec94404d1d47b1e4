// The groups of devices of one pipeline stage: who splits, who copies. Devices of a stage are numbered
// tensor-parallel members first, then context, then replicas (platform.h, DeviceGrid).
#pragma once

#include <vector>

#include "cost/device_group.h"
#include "cost/parallelism.h"
#include "platform/platform.h"

namespace spillway {

// Of all groups of a kind on the stage, one for every way such a group lies across the platform's tiers:
// groups that lie alike take equally long.
std::vector<DeviceGroup> tensor_groups(const Platform&, const DeviceGrid&, RankId, const Parallelism&);
std::vector<DeviceGroup> expert_groups(const Platform&, const DeviceGrid&, RankId, const Parallelism&);
// Neighbours on the rings of the context-parallel groups, the way back from the last to the first included.
std::vector<DeviceGroup> context_neighbours(const Platform&, const DeviceGrid&, RankId, const Parallelism&);
// Devices with the same dense parameters: replicas and context ranks.
std::vector<DeviceGroup> data_groups(const Platform&, const DeviceGrid&, RankId, const Parallelism&);
// Devices with the same experts.
std::vector<DeviceGroup> expert_data_groups(const Platform&, const DeviceGrid&, RankId, const Parallelism&);

}  // namespace spillway
