// What a job costs under one draw, on one order.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "cost/evidence.h"
#include "cost/network/collective_algorithms.h"
#include "cost/network/device_group.h"
#include "cost/price.h"
#include "cost/slabs/footprint.h"
#include "order/inside_pass.h"
#include "platform/platform.h"

namespace spillway {

// A collective inside a computing event: what tensor, context and expert parallelism send in the middle of a
// pass. It runs `times` times, one after the other, in `groups` equal groups at once, each `group_stride`
// devices after the one before. Bytes as in cost/network/collectives.h. A hidden one runs beside the
// computing, an exposed one while the computing waits.
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

// What prices are made of. Empty where they are given.
class Breakdown {
 public:
  virtual ~Breakdown() = default;

  // What runs inside a computing event, in order; its time is part of the event's. Joined replicas list the
  // same collectives, the groups that they share on each. For a replay that shows them as flows.
  virtual std::vector<SlabCollective> collectives(const Event&, ReplicaId) const { return {}; }
  // What of a computing event's time is no computing of its passes.
  virtual InsidePass inside(const Event&, ReplicaId) const { return {}; }
  // Operators and collectives inside passes as they were priced, over one step and all devices; what is
  // recomputed is left out. `order` is the one that is priced.
  virtual std::vector<PricedOperator> priced_operators(const Order& /*order*/) const { return {}; }
};

// Where costs come from: given ones, or architecture and platform.
class CostModel : public Pricing, public Footprints, public Breakdown {};

}  // namespace spillway
