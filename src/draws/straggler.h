// The what-if of a straggler: one rank whose passes take longer.
#pragma once

#include <memory>

#include "cost/costs_over.h"
#include "experiment/what_if.h"

namespace spillway {

// Passes of the straggler's rank, fused ones and what is inside of them included, take `time` times as long.
// Transfers, reductions and bytes stay. Rules that plan from times of passes see the slow rank; splits of
// layers do not.
class StragglerCosts final : public CostsOver {
 public:
  // Views `outline`, which outlives it.
  StragglerCosts(std::unique_ptr<CostModel> healthy, const Outline& outline, Straggler straggler)
      : CostsOver(std::move(healthy)), outline_(outline), straggler_(straggler) {}

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  InsidePass inside(const Event& event, ReplicaId replica) const override;

 private:
  double factor(RankId rank) const { return rank.index() == straggler_.rank ? straggler_.time : 1; }

  const Outline& outline_;
  Straggler straggler_;
};

}  // namespace spillway
