// What the stages of an order hold: what memory asks.
#pragma once

#include "base/id.h"
#include "cost/slabs/footprint.h"
#include "order/event.h"

namespace spillway {

// Of one order under one draw. On each device of a stage or rank, or the one that holds the most.
class Footprints {
 public:
  virtual ~Footprints() = default;

  virtual ModelState model_state(StageId stage) const = 0;
  virtual Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const = 0;
  // Does the stage hold the same of every microbatch and replica? `false` is always safe.
  virtual bool holds_alike(StageId) const { return false; }
  // `event` is a Collective: what the receiver holds of it until the pass that it is for, also where nothing
  // moves because one rank is both. Nothing where that is not stated.
  virtual Bytes received(const Event&, ReplicaId) const { return {}; }
  // Of a rank, beside those: buffers that stay from pass to pass.
  virtual Bytes workspace(RankId) const { return {}; }
};

}  // namespace spillway
