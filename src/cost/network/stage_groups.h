// The groups of devices of one pipeline stage: who splits, who copies. Devices of a stage are numbered
// tensor-parallel members first, then context, then replicas (platform.h, DeviceGrid).
#pragma once

#include <vector>

#include "cost/network/device_group.h"
#include "cost/network/parallelism.h"
#include "platform/platform.h"

namespace spillway {

// Of all groups of a kind on the stage, one for every way such a group lies across the platform's tiers:
// groups that lie alike take equally long.
// Neighbours, `size` at a time: tensor-parallel and expert-parallel groups.
std::vector<DeviceGroup> adjacent_groups(const Platform&, const DeviceGrid&, RankId, std::uint32_t size);
// Every `stride`-th device: those with the same parameters, where `stride` neighbours split them.
std::vector<DeviceGroup> strided_groups(const Platform&, const DeviceGrid&, RankId, std::uint32_t stride);
// The context-parallel groups.
std::vector<DeviceGroup> context_groups(const Platform&, const DeviceGrid&, RankId, const Parallelism&);
// Neighbours on the rings of the context-parallel groups, the way back from the last to the first included.
std::vector<DeviceGroup> context_neighbours(const Platform&, const DeviceGrid&, RankId, const Parallelism&);

}  // namespace spillway
