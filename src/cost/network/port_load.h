// What a collective puts on a device's port to the widest tier of its group, whatever the algorithm. It
// follows from where the devices lie alone, never from how fast anything is: a slower link carries no less.
//
// N devices, k of them in the smallest part of the group that one group of the tier before holds, n bytes as
// in cost/network/collectives.h. The part's k ports carry, one way, between them and the rest:
//   all-gather, reduce-scatter  what the part lacks, or has of others: (N-k)/N of n
//   all-reduce                  both, one after the other; n where switches add up (NVLink SHARP)
//   all-to-all                  each member's for those outside: (N-k)/N of n on every port
//   send-recv                   n on the one port
#pragma once

#include "cost/network/collective_layout.h"

namespace spillway {

enum class AddedUp { ByDevices, BySwitchesOrDevices };

// In shares of n. Contract: two devices at least.
double port_share(const Platform& platform, CollectiveOperation operation, const Devices& devices,
                  AddedUp added_up);

}  // namespace spillway
