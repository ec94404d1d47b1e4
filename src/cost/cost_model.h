// The costs of a job under one draw, on one order.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "cost/network/collectives.h"
#include "cost/network/device_group.h"
#include "cost/operators/evidence.h"
#include "cost/price.h"
#include "cost/slabs/footprint.h"
#include "order/inside_pass.h"
#include "platform/platform.h"

namespace spillway {

// A collective of tensor, context or expert parallelism inside a computing event. It runs `times` times, one
// after the other, at once in `groups` equal groups, each `group_stride` devices after the one before.
// cost/network/collectives.h defines its bytes. A hidden collective runs beside the computing; an exposed one
// makes the computing wait.
struct SlabCollective {
  CollectiveOperation operation;
  Algorithm algorithm;
  DeviceGroup group;
  Bytes bytes;
  double times;
  bool hidden;
  std::uint32_t groups = 1;
  std::uint32_t group_stride = 0;
  Carrier carrier = Carrier::Library;
};

// The parts of prices. They are empty if the prices are given.
class Breakdown {
 public:
  virtual ~Breakdown() = default;

  // The collectives inside a computing event, in order; their time is part of the event's. Each joined
  // replica lists the same collectives, in the groups that the replicas share. A replay shows them as flows.
  virtual std::vector<SlabCollective> collectives(const Event&, ReplicaId) const { return {}; }
  // The parts of a computing event's time in which its passes do not compute.
  virtual InsidePass inside(const Event&, ReplicaId) const { return {}; }
  // Operators and collectives inside passes, as they were priced, over one step and all devices, without
  // recomputation. `order` is the order that is priced.
  virtual std::vector<PricedOperator> priced_operators(const Order& /*order*/) const { return {}; }
};

// A source of costs: given durations, or architecture and platform.
class CostModel : public Pricing, public Footprints, public Breakdown {};

}  // namespace spillway
