// Passes of a transposed input that compute while a pass of the pipeline communicates.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "cost/cost_model.h"

namespace spillway {

// A hidden pass takes what its host's exposed collectives leave no room for: where several share a host, in
// their order, each what is left by those before it. The host takes what it took; what is computed while it
// communicates is part of its time and of no other. Nothing else changes.
class HiddenInput final : public CostModel {
 public:
  // Views `outline`, which outlives it.
  HiddenInput(std::unique_ptr<CostModel> alone, const Outline& outline);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override {
    return alone_->overlapped(event, replica);
  }
  Transfer transfer(const Event& event, ReplicaId replica) const override {
    return alone_->transfer(event, replica);
  }
  bool uniform(const Event& event) const override;

  ModelState model_state(StageId stage) const override { return alone_->model_state(stage); }
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override {
    return alone_->held(stage, microbatch, replica);
  }
  bool holds_alike(StageId stage) const override { return alone_->holds_alike(stage); }
  Bytes received(const Event& event, ReplicaId replica) const override {
    return alone_->received(event, replica);
  }
  Bytes workspace(RankId rank) const override { return alone_->workspace(rank); }

  // Of a hidden pass none: its own are part of the host's time where it is hidden whole, else of what is
  // left.
  std::vector<SlabCollective> collectives(const Event& event, ReplicaId replica) const override;
  InsidePass inside(const Event& event, ReplicaId replica) const override;
  std::vector<PricedOperator> priced_operators(const Order& order) const override {
    return alone_->priced_operators(order);
  }

 private:
  // Hidden passes under one host, by their places in outline.hidden.
  using Guests = std::vector<std::size_t>;

  const HiddenPass& hidden(std::size_t index) const { return outline_.hidden[index]; }
  // Where the pass is hidden, and its place there; null where it is not.
  const Guests* hosted(Pass pass, StageId stage, MicrobatchId microbatch) const;
  Seconds by_itself(const HiddenPass& hidden, ReplicaId replica) const;

  std::unique_ptr<CostModel> alone_;
  const Outline& outline_;
  std::vector<Guests> hosts_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::size_t>
      host_of_;  // stage, microbatch, backward
};

}  // namespace spillway
