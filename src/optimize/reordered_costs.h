// The costs of a draw with its microbatches in another order. Position i of the order graph runs microbatch
// p[i] of the draw. The graph stays, and each price is that of the microbatch at its position.
#pragma once

#include <vector>

#include "cost/cost_model.h"

namespace spillway {

// Position -> microbatch as sampled. Each microbatch comes once.
using Permutation = std::vector<MicrobatchId>;

// Prices position i of a replica as the microbatch that runs there. Views both arguments, which outlive it:
// if a permutation changes in place, so do the prices. Contract: one permutation of M for each replica that
// it prices.
class ReorderedCosts final : public CostModel {
 public:
  ReorderedCosts(const CostModel& as_sampled, const std::vector<Permutation>& by_replica);

  Seconds pass(Pass pass, StageId stage, MicrobatchId position, ReplicaId replica) const override {
    return as_sampled_.pass(pass, stage, at(position, replica), replica);
  }
  Seconds overlapped(const Event& event, ReplicaId replica) const override {
    return as_sampled_.overlapped(moved(event, replica), replica);
  }
  Transfer transfer(const Event& event, ReplicaId replica) const override {
    return as_sampled_.transfer(moved(event, replica), replica);
  }
  MessageSize message(const Event& event, ReplicaId replica) const override {
    return as_sampled_.message(moved(event, replica), replica);
  }
  const StepEnd* step_end() const override { return as_sampled_.step_end(); }
  bool uniform(const Event& event) const override { return as_sampled_.uniform(event); }
  StageId like(StageId stage) const override { return as_sampled_.like(stage); }
  bool same_transfers(const Event& a, const Event& b) const override {
    return as_sampled_.same_transfers(a, b);
  }

  ModelState model_state(StageId stage) const override { return as_sampled_.model_state(stage); }
  Held held(StageId stage, MicrobatchId position, ReplicaId replica) const override {
    return as_sampled_.held(stage, at(position, replica), replica);
  }
  bool holds_alike(StageId stage) const override { return as_sampled_.holds_alike(stage); }
  Bytes received(const Event& event, ReplicaId replica) const override {
    return as_sampled_.received(moved(event, replica), replica);
  }
  Bytes received_input(const Event& event, ReplicaId replica) const override {
    return as_sampled_.received_input(moved(event, replica), replica);
  }
  Bytes workspace(RankId rank) const override { return as_sampled_.workspace(rank); }

  std::vector<SlabCollective> collectives(const Event& event, ReplicaId replica) const override {
    return as_sampled_.collectives(moved(event, replica), replica);
  }
  InsidePass inside(const Event& event, ReplicaId replica) const override {
    return as_sampled_.inside(moved(event, replica), replica);
  }
  std::vector<PricedOperator> priced_operators(const Order& order) const override {
    return as_sampled_.priced_operators(order);
  }

 private:
  MicrobatchId at(MicrobatchId position, ReplicaId replica) const {
    return by_replica_[replica.index()][position.index()];
  }
  Event moved(Event event, ReplicaId replica) const;

  const CostModel& as_sampled_;
  const std::vector<Permutation>& by_replica_;
};

}  // namespace spillway
