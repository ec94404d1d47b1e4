// A cost model for tests: every computing event takes a second, every microbatch of a stage holds what the
// test says.
#pragma once

#include <functional>

#include "cost/price.h"

namespace spillway::testing {

struct Sizes final : CostModel {
  using HeldOf = std::function<Held(StageId, MicrobatchId, ReplicaId)>;

  HeldOf held_of;
  ModelState state;
  Bytes buffers = {};                       // of every rank
  std::function<bool(StageId)> alike = {};  // whatever the microbatch and replica; none is
  std::function<Bytes(const Event&, ReplicaId)> received_of = [](const Event&, ReplicaId) { return Bytes(); };

  Sizes(HeldOf of, ModelState of_a_stage) : held_of(std::move(of)), state(of_a_stage) {}

  Seconds pass(const Outline&, Pass, StageId, MicrobatchId, ReplicaId) const override { return Seconds(1); }
  Seconds overlapped(const Outline&, const Event&, ReplicaId) const override { return Seconds(1); }
  Transfer transfer(const Outline&, const Event&, ReplicaId) const override { return {}; }
  Bytes received(const Outline&, const Event& event, ReplicaId replica) const override {
    return received_of(event, replica);
  }
  ModelState model_state(const Outline&, StageId) const override { return state; }
  Held held(const Outline&, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override {
    return held_of(stage, microbatch, replica);
  }
  bool holds_alike(const Outline&, StageId stage) const override { return alike && alike(stage); }
  Bytes workspace(const Outline&, RankId) const override { return buffers; }
};

}  // namespace spillway::testing
