// Pricing: an order and a cost model give every event a duration, and every transfer the bytes that move.
#pragma once

#include <vector>

#include "base/quantity.h"
#include "cost/evidence.h"
#include "cost/slab_collective.h"
#include "cost/slabs/footprint.h"
#include "derive/derive.h"
#include "order/durations.h"

namespace spillway {

// One pass of a stage over a microbatch. Backward is both gradients in one piece.
enum class Pass { Forward, Backward, InputGradient, WeightGradient };

// What a communication event costs on an idle network, and what it puts on the wire.
//   Collective  `payload` goes from each member device of the sending rank to its counterpart.
//   DpReduce    `payload` goes from each member of the group to the next one round the ring, all steps
//               together, as fast as their ports are.
// alone >= the time the payload takes alone; the rest (per-step latencies, software) is a delay before it
// flows. The payload follows from sizes and from where devices lie; how fast they are does not change it.
struct Transfer {
  Seconds alone;
  Bytes payload;
};

// Where prices and sizes come from: given ones, or architecture and platform. Replicas may differ in their
// draws.
class CostModel {
 public:
  virtual ~CostModel() = default;

  virtual Seconds pass(const Outline& derived, Pass pass, StageId stage, MicrobatchId microbatch,
                       ReplicaId replica) const = 0;
  // `event` is a ForwardBackward: a forward and the backward of another microbatch, overlapped.
  virtual Seconds overlapped(const Outline& derived, const Event& event, ReplicaId replica) const = 0;
  // `event` is a Collective or a DpReduce. Nothing moves, in no time, between a rank and itself or in a group
  // of one device; a group of one rank with several devices may reduce among them, as delay without payload.
  virtual Transfer transfer(const Outline& derived, const Event& event, ReplicaId replica) const = 0;
  // `event` is a Collective: what the receiver holds of it, on each device, until the pass that it is for,
  // also where nothing moves because one rank is both. Nothing where that is not stated.
  virtual Bytes received(const Outline&, const Event&, ReplicaId) const { return {}; }
  // Does every event of this one's kind and stages take what this one takes, whatever its microbatch, replica
  // and draw? One of them then stands for all; `false` is always safe.
  virtual bool uniform(const Outline&, const Event&) const { return false; }
  // What runs inside a computing event, in order; its time is part of the event's. Joined replicas list the
  // same collectives, the groups that they share on each. For a replay that shows them as flows.
  virtual std::vector<SlabCollective> collectives(const Outline&, const Event&, ReplicaId) const {
    return {};
  }
  // Operators and collectives inside passes as they were priced, over one step and all devices; what is
  // recomputed is left out. Empty where prices are given.
  virtual std::vector<PricedOperator> priced_operators(const Derived&) const { return {}; }
  // On each device of the stage, or the one that holds the most.
  virtual ModelState model_state(const Outline& derived, StageId stage) const = 0;
  virtual Held held(const Outline& derived, StageId stage, MicrobatchId microbatch,
                    ReplicaId replica) const = 0;
  // Does the stage hold the same of every microbatch and replica? `false` is always safe.
  virtual bool holds_alike(const Outline&, StageId) const { return false; }
  // On each device of a rank, beside those: buffers that stay from pass to pass.
  virtual Bytes workspace(const Outline&, RankId) const { return {}; }
};

struct Prices {
  Durations durations;      // lane = replica
  PerEvent<Bytes> payload;  // zero for computing and bookkeeping events
};

// One event of one replica as it is before joined replicas are levelled; zero where it only keeps books.
Seconds event_seconds(const Outline& derived, const CostModel& costs, const Event& event, ReplicaId replica);

// Gives every member of a joined group the time of its slowest. Contract: `joined` divides the lanes.
void level_joined(Durations& durations, EventId id, std::uint32_t joined);

// One lane per replica. A joined event takes the slowest member's time on each of its lanes.
Prices price(const Derived& derived, const CostModel& costs);

}  // namespace spillway
