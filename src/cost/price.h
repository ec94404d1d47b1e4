// Pricing: an order and what its events take give every event a duration, and every transfer the bytes that
// move.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/quantity.h"
#include "cost/slabs/gradients.h"
#include "derive/derive.h"
#include "order/durations.h"

namespace spillway {

// What a communication event costs on an idle network, and what it puts on the wire.
//   Collective  `payload` goes from each member device of the sending rank to its counterpart.
//   DpReduce    `payload` goes from each member of the group to the next one round the ring, all steps
//               together, as fast as their ports are.
//   Broadcast   the same, but for the last member, which passes nothing on.
// alone - update >= the time the payload takes alone; the rest of that (per-step latencies, software) is a
// delay before it flows. The payload follows from sizes and from where devices lie; how fast they are does
// not change it.
struct Transfer {
  Seconds alone;
  Bytes payload;
  Seconds update = {};  // part of `alone`, after the flows: the optimizer's, of what a DpReduce reduces
};

// Seconds that lie so many numbers apart: a lane of rows.
struct SecondsApart {
  double* at;
  std::size_t apart;

  double& operator[](std::size_t i) const { return at[i * apart]; }
};

// What the events of one order take under one draw, in which replicas may differ.
class Pricing {
 public:
  virtual ~Pricing() = default;

  virtual Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const = 0;
  // The same of several microbatches, to the last bit: what they have in common is looked up once.
  virtual void passes(Pass which, StageId stage, ReplicaId replica,
                      std::span<const MicrobatchId> microbatches, SecondsApart out) const {
    for (std::size_t i = 0; i < microbatches.size(); ++i)
      out[i] = pass(which, stage, microbatches[i], replica).value();
  }
  // `event` is a ForwardBackward: a forward and the backward of another microbatch, overlapped.
  virtual Seconds overlapped(const Event& event, ReplicaId replica) const = 0;
  // `event` communicates. Nothing moves, in no time, between a rank and itself or in a group
  // of one device; a group of one rank with several devices may reduce among them, as delay without payload.
  virtual Transfer transfer(const Event& event, ReplicaId replica) const = 0;
  // Does every event of this one's kind and stages take what this one takes, whatever its microbatch, replica
  // and draw? One of them then stands for all; `false` is always safe.
  virtual bool uniform(const Event&) const { return false; }
  // The first stage whose passes take what this one's take, microbatch by microbatch. It follows from how the
  // model lies on stages, so that it is the same in every draw; the stage itself is always safe.
  virtual StageId like(StageId stage) const { return stage; }
  // Do two events that communicate always take the same, microbatch by microbatch, in every draw? `false` is
  // always safe.
  virtual bool same_transfers(const Event&, const Event&) const { return false; }
};

struct Prices {
  Durations durations;                // lane = replica
  PerEvent<Bytes> payload;            // zero for computing and bookkeeping events
  std::vector<Seconds> updates = {};  // by stage, of its DpReduce; zero beyond the end

  // What an event takes behind its flows.
  Seconds update(const Event& event) const {
    const std::size_t stage = event.stage.index();
    return event.kind == EventKind::DpReduce && stage < updates.size() ? updates[stage] : Seconds();
  }
};

// Contract: the kind is of a pass alone, not of an overlapped one.
Pass pass_of(EventKind kind);

// One event of one replica as it is before joined replicas are levelled; zero where it only keeps books.
Seconds event_seconds(const Pricing& pricing, const Event& event, ReplicaId replica);

// Gives every member of a joined group the time of its slowest. Contract: `joined` divides the lanes.
void level_joined(Durations& durations, EventId id, std::uint32_t joined);

// One lane per replica. A joined event takes the slowest member's time on each of its lanes. Contract: the
// pricing is of `derived`.
Prices price(const Derived& derived, const Pricing& pricing);

}  // namespace spillway
