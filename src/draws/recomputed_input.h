// A transposed input that keeps its outputs alone: what its backwards cost then.
#pragma once

#include <memory>
#include <vector>

#include "cost/costs_over.h"

namespace spillway {

// A backward of the input region takes its forward besides, less what it computes again anyway, and holds
// meanwhile what is held elsewhere from the forward on; everything else is as it was. Collectives inside the
// forward are met again, too.
class RecomputedInput final : public CostsOver {
 public:
  // Views `outline`, which outlives it. Contract: outline.input.recomputed.
  RecomputedInput(std::unique_ptr<CostModel> kept, const Outline& outline)
      : CostsOver(std::move(kept)), outline_(outline) {}

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  bool uniform(const Event& event) const override;

  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;

  std::vector<SlabCollective> collectives(const Event& event, ReplicaId replica) const override;
  InsidePass inside(const Event& event, ReplicaId replica) const override;
  // Those of the forwards once more, each in proportion to what of its forward is computed again.
  std::vector<PricedOperator> priced_operators(const Order& order) const override;

 private:
  bool recomputes(const Event& event) const;
  Seconds computed_again(const Event& backward, ReplicaId replica) const;
  bool is_input(StageId stage) const { return outline_.stage(stage).region.index() == 0; }

  const Outline& outline_;
};

}  // namespace spillway
