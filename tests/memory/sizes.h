// Footprints for tests: the test sets how much each stage holds for each microbatch and replica.
#pragma once

#include <functional>

#include "cost/slabs/footprint.h"
#include "timing/longest_path.h"

namespace spillway::testing {

struct Sizes final : Footprints {
  using HeldOf = std::function<Held(StageId, MicrobatchId, ReplicaId)>;

  HeldOf held_of;
  ModelState state;
  Bytes buffers = {};                       // on every rank
  std::function<bool(StageId)> alike = {};  // holds the same for all microbatches; empty if no stage does
  std::function<Bytes(const Event&, ReplicaId)> received_of = [](const Event&, ReplicaId) { return Bytes(); };

  Sizes(HeldOf of, ModelState of_a_stage) : held_of(std::move(of)), state(of_a_stage) {}

  Bytes received(const Event& event, ReplicaId replica) const override { return received_of(event, replica); }
  ModelState model_state(StageId) const override { return state; }
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override {
    return held_of(stage, microbatch, replica);
  }
  bool holds_alike(StageId stage) const override { return alike && alike(stage); }
  Bytes workspace(RankId) const override { return buffers; }
};

// Returns a timeline in which computing events take 1 s and other events no time.
inline Timeline each_a_second(const Derived& derived) {
  Durations durations(derived.order.event_count(), derived.pipeline.replicas);
  for (std::uint32_t index = 0; index < durations.events(); ++index)
    if (derived.order.event(EventId(index)).computes()) durations.fill(EventId(index), Seconds(1));
  return LongestPath(derived.order).timeline(durations);
}

}  // namespace spillway::testing
