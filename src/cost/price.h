// Pricing gives every event of an order a duration, and every transfer the bytes that move.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.h"
#include "cost/slabs/gradients.h"
#include "cost/step_end.h"
#include "derive/derive.h"
#include "order/durations.h"

namespace spillway {

// The time of a communication event on an idle network, and the bytes it puts on the wire.
//   Collective  `payload` goes from each member device of the sending rank to its counterpart.
//   DpReduce    `payload` goes from each member of the group to the next one round the ring, in all steps
//               together, as fast as their ports are.
//   Broadcast   the same, except that the last member passes nothing on.
// alone - update >= the time that the payload takes by itself. The rest (per-step latencies, software) is a
// delay before the payload flows. The payload follows from sizes and from the devices' places; their speed
// does not change it.
struct Transfer {
  Seconds alone;
  Bytes payload;
  // Part of `alone`, after the flows: the optimizer step for the parameters that a DpReduce reduces.
  Seconds update = {};
};

// The value that a Collective carries, as far as it is known: the bytes that one device of the sending rank
// puts on the wire, and the rows (tokens or patches) and columns (width) of its output.
struct MessageSize {
  struct Shape {
    std::uint64_t rows, columns;

    friend auto operator<=>(const Shape&, const Shape&) = default;
  };
  std::optional<Bytes> bytes = {};
  std::optional<Shape> shape = {};

  friend auto operator<=>(const MessageSize&, const MessageSize&) = default;
};

// Seconds that lie `apart` numbers apart: a lane of rows.
struct SecondsApart {
  double* at;
  std::size_t apart;

  double& operator[](std::size_t i) const { return at[i * apart]; }
};

// The times of one order's events under one draw. Replicas may differ.
class Pricing {
 public:
  virtual ~Pricing() = default;

  virtual Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const = 0;
  // pass() for several microbatches, equal to the last bit; common parts are looked up once.
  virtual void passes(Pass which, StageId stage, ReplicaId replica,
                      std::span<const MicrobatchId> microbatches, SecondsApart out) const {
    for (std::size_t i = 0; i < microbatches.size(); ++i)
      out[i] = pass(which, stage, microbatches[i], replica).value();
  }
  // `event` is a ForwardBackward: a forward overlapped with the backward of another microbatch.
  virtual Seconds overlapped(const Event& event, ReplicaId replica) const = 0;
  // `event` communicates. Nothing moves, and it takes no time, between a rank and itself or in a group of one
  // device. A group of one rank with several devices may reduce among them; that is a delay without payload.
  virtual Transfer transfer(const Event& event, ReplicaId replica) const = 0;
  // `event` transfers. Nothing is known of it unless the costs say so.
  virtual MessageSize message(const Event&, ReplicaId) const { return {}; }
  // The account of what ranks do after their reductions; its total is the time of the StepBarrier. Null if
  // nothing is stated.
  virtual const StepEnd* step_end() const { return nullptr; }
  // Returns true if every event of the same kind and stages takes the same time, whatever its microbatch,
  // replica and draw. One of them then stands for all; `false` is always safe.
  virtual bool uniform(const Event&) const { return false; }
  // Return the first stage whose passes take the same time as this stage's, microbatch by microbatch. The
  // answer follows from the layers on stages, so it is the same in every draw. The stage itself is always
  // safe.
  virtual StageId like(StageId stage) const { return stage; }
  // Returns true if two events that communicate always take the same time, microbatch by microbatch, in every
  // draw. `false` is always safe.
  virtual bool same_transfers(const Event&, const Event&) const { return false; }
};

struct Prices {
  Durations durations;                // lane = replica
  PerEvent<Bytes> payload;            // zero for computing and bookkeeping events
  std::vector<Seconds> updates = {};  // by stage: the update in its DpReduce; zero beyond the end

  // The time of an event after its flows.
  Seconds update(const Event& event) const {
    const std::size_t stage = event.stage.index();
    return event.kind == EventKind::DpReduce && stage < updates.size() ? updates[stage] : Seconds();
  }
};

// Contract: the kind is that of a single pass, not of an overlapped one.
Pass pass_of(EventKind kind);

// The time of one event of one replica, before joined replicas are levelled; zero for losses.
Seconds event_seconds(const Pricing& pricing, const Event& event, ReplicaId replica);

// Gives every member of a joined group the time of its slowest member. Contract: `joined` divides the lanes.
void level_joined(Durations& durations, EventId id, std::uint32_t joined);

// One lane per replica. A joined event takes the slowest member's time on each of its lanes. Contract: the
// pricing belongs to `derived`.
Prices price(const Derived& derived, const Pricing& pricing);

}  // namespace spillway
