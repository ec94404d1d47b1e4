// A transposed input that keeps its outputs alone: what its backwards cost then.
#pragma once

#include <memory>
#include <vector>

#include "cost/cost_model.h"

namespace spillway {

// A backward of the input region takes its forward besides, less what it computes again anyway, and holds
// meanwhile what is held elsewhere from the forward on; everything else is as it was. Collectives inside the
// forward are met again, too.
class RecomputedInput final : public CostModel {
 public:
  // Views `outline`, which outlives it. Contract: outline.input_recomputed.
  RecomputedInput(std::unique_ptr<CostModel> kept, const Outline& outline)
      : kept_(std::move(kept)), outline_(outline) {}

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override {
    return kept_->overlapped(event, replica);
  }
  Transfer transfer(const Event& event, ReplicaId replica) const override {
    return kept_->transfer(event, replica);
  }
  bool uniform(const Event& event) const override;

  ModelState model_state(StageId stage) const override { return kept_->model_state(stage); }
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  bool holds_alike(StageId stage) const override { return kept_->holds_alike(stage); }
  Bytes received(const Event& event, ReplicaId replica) const override {
    return kept_->received(event, replica);
  }
  Bytes workspace(RankId rank) const override { return kept_->workspace(rank); }

  std::vector<SlabCollective> collectives(const Event& event, ReplicaId replica) const override;
  InsidePass inside(const Event& event, ReplicaId replica) const override;
  std::vector<PricedOperator> priced_operators(const Order& order) const override {
    return kept_->priced_operators(order);
  }

 private:
  bool recomputes(const Event& event) const;
  Seconds computed_again(const Event& backward, ReplicaId replica) const;
  bool is_input(StageId stage) const { return outline_.stage(stage).region.index() == 0; }

  std::unique_ptr<CostModel> kept_;
  const Outline& outline_;
};

}  // namespace spillway
