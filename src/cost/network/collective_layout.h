// The places of a collective's devices among the tiers, for the algorithms of collectives.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cost/network/device_group.h"
#include "cost/network/flat_algorithms.h"
#include "platform/platform.h"

namespace spillway {

// The devices are in ascending order, as libraries reorder them, so that neighbours lie close.
using Devices = std::vector<DeviceId>;

// Contract: all devices are on the platform, none twice.
Devices devices_of(const Platform& platform, const DeviceGroup& group);

// Indices into platform.tiers of the smallest tier that holds both devices, or all of them.
std::size_t tier_index(const Platform& platform, DeviceId a, DeviceId b);
std::size_t widest_tier(const Platform& platform, const Devices& devices);

// The smallest tier that holds a group, and the place of its first device in a group of the tier before.
// Groups of one form (size, stride, blocks) and place lie alike: any collective takes them equal time.
struct PlaceInTiers {
  std::size_t spanned;  // index into platform.tiers
  std::uint32_t first;

  friend auto operator<=>(const PlaceInTiers&, const PlaceInTiers&) = default;
};
PlaceInTiers place_in_tiers(const Platform& platform, const DeviceGroup& group);

// Cuts the devices into those that share a group of the tier.
std::vector<Devices> by_group(const Devices& devices, const Tier& tier);
// Cuts by the tier before the widest; each device is alone if there is none.
std::vector<Devices> by_inner_group(const Platform& platform, const Devices& devices);

// The members per part if all parts have equally many, else 0.
std::uint32_t common_size(const std::vector<Devices>& parts);

// The number of rings that run side by side through the parts, each through another member of each part: the
// members of the smallest part. Contract: at least one part.
std::size_t ring_count(const std::vector<Devices>& parts);

// Groups the first members of all parts, the second members, and so on. Contract: parts of one size.
std::vector<Devices> counterparts(const std::vector<Devices>& parts);

// Two levels: inside the parts, then among counterparts.
struct Hierarchy {
  std::vector<Devices> inside;
  std::vector<Devices> across;
  Algorithm inside_by;
  Algorithm across_by;
};

// Index of the tier that HCCL treats as a server: the tier named "node", or the first if there is none.
std::size_t server_tier(const Platform& platform);

// One for every tier that cuts the devices into several parts of one size above one, with the algorithms that
// the platform's library uses at the two levels.
std::vector<Hierarchy> hierarchies(const Platform& platform, CollectiveOperation operation,
                                   const Devices& devices);

// A phase of the hierarchical algorithm at one of its two levels; the phases run one after the other.
struct HierarchicalPhase {
  CollectiveOperation operation;
  Algorithm algorithm;
  const std::vector<Devices>& groups;  // groups of the hierarchy, which run side by side
  double share;                        // of n
};

std::vector<HierarchicalPhase> phases(const Hierarchy& hierarchy, CollectiveOperation operation);

// The bytes that a collective moves through a device's port to the widest tier of its group, with any
// algorithm. They follow only from the devices' places, never from a speed: a slower link carries no less.
//
// N devices, k of them in the smallest part of the group that one group of the tier before holds, n bytes as
// in cost/network/collectives.h. The part's k ports carry, one way, between them and the rest:
//   all-gather, reduce-scatter  the data that the part lacks, or has for others: (N-k)/N of n
//   all-reduce                  both, one after the other; n if switches add up (NVLink SHARP)
//   all-to-all                  each member's data for devices outside: (N-k)/N of n on every port
//   send-recv                   n on the one port
enum class AddedUp { ByDevices, BySwitchesOrDevices };

// Returns the share of n per port. Contract: at least two devices.
double port_share(const Platform& platform, CollectiveOperation operation, const Devices& devices,
                  AddedUp added_up);

}  // namespace spillway
