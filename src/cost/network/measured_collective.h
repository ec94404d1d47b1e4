// Times read off a measured sweep.
#pragma once

#include <span>
#include <utility>

#include "cost/network/collective_layout.h"
#include "platform/platform.h"

namespace spillway {

// The sweep of this operation in groups like this one: on the smallest tier that holds it, of as many
// devices, `neighbours` of them in each group of the tier before (1 where there is none). Null where there is
// none.
const MeasuredCollective* sweep_of(const Platform& platform, CollectiveOperation operation,
                                   const Devices& devices);

// Affine between points, the first one's time below it, beyond the last the slope of the last two, which is
// not taken to fall. Contract: a point at least.
Seconds read_off(std::span<const std::pair<Bytes, Seconds>> points, Bytes n);

}  // namespace spillway
