// Collectives inside computing events: what tensor, context and expert parallelism send in the middle of a
// pass.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "cost/network/collective_algorithms.h"
#include "cost/network/device_group.h"
#include "platform/platform.h"

namespace spillway {

struct Derived;
class CostModel;

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

// What a cost model says of every computing event, by event and lane (replica).
class SlabCollectives {
 public:
  SlabCollectives(const Derived& derived, const CostModel& costs);

  // In the order in which they run.
  std::span<const SlabCollective> of(EventId event, std::uint32_t lane) const;

 private:
  std::uint32_t lanes_;
  std::vector<std::size_t> first_;  // by event and lane, and the end
  std::vector<SlabCollective> all_;
};

}  // namespace spillway
