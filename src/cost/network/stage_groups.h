// The groups of devices of one pipeline stage that split it or hold copies. Devices of a stage are numbered
// tensor-parallel members first, then context, then replicas (platform.h, DeviceGrid).
#pragma once

#include <vector>

#include "cost/network/device_group.h"
#include "cost/network/parallelism.h"
#include "platform/platform.h"

namespace spillway {

// Each function returns one group of its kind for every way such a group lies across the platform's tiers.
// Groups that lie alike take equal time. This one: neighbours, `size` at a time (tensor-parallel and
// expert-parallel groups).
std::vector<DeviceGroup> adjacent_groups(const Platform&, const DeviceGrid&, RankId, std::uint32_t size);
// Every `stride`-th device: the devices with the same parameters if `stride` neighbours split them.
std::vector<DeviceGroup> strided_groups(const Platform&, const DeviceGrid&, RankId, std::uint32_t stride);
// The same in blocks of `block` consecutive devices: the members of a block with the same parameters.
std::vector<DeviceGroup> blocked_groups(const Platform&, const DeviceGrid&, RankId, std::uint32_t stride,
                                        std::uint32_t block);
// The context-parallel groups.
std::vector<DeviceGroup> context_groups(const Platform&, const DeviceGrid&, RankId, const Parallelism&);
// Neighbours on the rings of the context-parallel groups, including the way back from the last to the first.
std::vector<DeviceGroup> context_neighbours(const Platform&, const DeviceGrid&, RankId, const Parallelism&);

}  // namespace spillway
