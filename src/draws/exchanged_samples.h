// Replicas that exchange what an encoder has made before the backbone goes on with it.
#pragma once

#include <memory>
#include <vector>

#include "cost/costs_over.h"
#include "draws/regrouped_draws.h"

namespace spillway {

// The first stage behind the encoder waits for the exchange in its forward and, where the encoder is trained,
// in its backward, which sends gradients the same ways back. Replicas are taken to come to it together: each
// pays for its own, none waits for another. Everything else is as it was.
class ExchangedSamples final : public CostsOver {
 public:
  // Views `outline`, which outlives it. Contract: the exchange is of the outline's replicas and microbatches.
  ExchangedSamples(std::unique_ptr<CostModel> at_home, const Outline& outline, SampleExchange exchange);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  bool uniform(const Event& event) const override;
  InsidePass inside(const Event& event, ReplicaId replica) const override;

 private:
  Seconds exchanged(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const;
  Seconds exchanged(const Event& event, ReplicaId replica) const;

  std::vector<bool> behind_;  // by stage
  bool gradients_;
  SampleExchange exchange_;
};

}  // namespace spillway
