// Where the devices of a collective lie among the tiers, for cost/collective_algorithms and collective_steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cost/network/collective_algorithms.h"
#include "cost/network/device_group.h"
#include "platform/platform.h"

namespace spillway {

// In ascending order, as libraries reorder them: neighbours lie close.
using Devices = std::vector<DeviceId>;

// Contract: all on the platform, none twice.
Devices devices_of(const Platform& platform, const DeviceGroup& group);

// Indices into platform.tiers: of the smallest that holds both, or all.
std::size_t tier_index(const Platform& platform, DeviceId a, DeviceId b);
std::size_t widest_tier(const Platform& platform, const Devices& devices);

// Cut into those that share a group of the tier.
std::vector<Devices> by_group(const Devices& devices, const Tier& tier);
// By the tier before the widest, each device alone where there is none.
std::vector<Devices> by_inner_group(const Platform& platform, const Devices& devices);

// Members per part where all parts have as many, else 0.
std::uint32_t common_size(const std::vector<Devices>& parts);

// How many rings run side by side through the parts, each through another member of each: the least part's
// members. Contract: at least one part.
std::size_t ring_count(const std::vector<Devices>& parts);

// The first of each part together, the second of each, and so on. Contract: parts of one size.
std::vector<Devices> counterparts(const std::vector<Devices>& parts);

// Whether the algorithm, which has_steps(), is one for this operation.
bool runs(Algorithm algorithm, CollectiveOperation operation);

// Two levels: inside the parts, then among counterparts.
struct Hierarchy {
  std::vector<Devices> inside;
  std::vector<Devices> across;
  Algorithm inside_by;
  Algorithm across_by;
};

// Index of the tier that HCCL takes for a server: the one named "node", the first where none is.
std::size_t server_tier(const Platform& platform);

// Every tier that cuts the devices into several parts of one size, more than one each; with the algorithms
// the platform's library uses at the two levels.
std::vector<Hierarchy> hierarchies(const Platform& platform, CollectiveOperation operation,
                                   const Devices& devices);

// What the hierarchical algorithm does at its two levels, one after the other.
struct HierarchicalPhase {
  CollectiveOperation operation;
  Algorithm algorithm;
  const std::vector<Devices>& groups;  // of the hierarchy, side by side
  double share;                        // of n
};

std::vector<HierarchicalPhase> phases(const Hierarchy& hierarchy, CollectiveOperation operation);

// Partner of device i of `size` at `distance` in halving-doubling: whom it sends to in an all-gather.
std::uint32_t partner(std::uint32_t i, std::uint32_t distance, std::uint32_t size);
// Distances of an all-gather, farthest first, with the parts of n/N sent at each.
struct Doubling {
  std::uint32_t distance;
  std::uint32_t parts;
};
std::vector<Doubling> doublings(std::uint32_t size);

// What a collective puts on a device's port to the widest tier of its group, whatever the algorithm. It
// follows from where the devices lie alone, never from how fast anything is: a slower link carries no less.
//
// N devices, k of them in the smallest part of the group that one group of the tier before holds, n bytes as
// in cost/network/collectives.h. The part's k ports carry, one way, between them and the rest:
//   all-gather, reduce-scatter  what the part lacks, or has of others: (N-k)/N of n
//   all-reduce                  both, one after the other; n where switches add up (NVLink SHARP)
//   all-to-all                  each member's for those outside: (N-k)/N of n on every port
//   send-recv                   n on the one port
enum class AddedUp { ByDevices, BySwitchesOrDevices };

// In shares of n. Contract: two devices at least.
double port_share(const Platform& platform, CollectiveOperation operation, const Devices& devices,
                  AddedUp added_up);

}  // namespace spillway
