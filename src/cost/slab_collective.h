// Collectives inside computing events: what tensor, context and expert parallelism send in the middle of a
// pass.
#pragma once

#include <cstdint>

#include "base/id.h"
#include "base/quantity.h"
#include "cost/network/collective_algorithms.h"
#include "cost/network/device_group.h"
#include "platform/platform.h"

namespace spillway {

// Runs `times` times, one after the other, in `groups` equal groups at once, each `group_stride` devices
// after the one before. Bytes as in cost/network/collectives.h. A hidden one runs beside the computing, an
// exposed one while the computing waits.
struct SlabCollective {
  CollectiveOperation operation;
  Algorithm algorithm;
  DeviceGroup group;
  Bytes bytes;
  double times;
  bool hidden;
  std::uint32_t groups = 1;
  std::uint32_t group_stride = 0;
};

}  // namespace spillway
