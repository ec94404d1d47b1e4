// A cost model over another cost model.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cost/cost_model.h"

namespace spillway {

// A cost model that forwards every call it does not override to the cost model under it.
class CostsOver : public CostModel {
 public:
  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override {
    return under_->pass(pass, stage, microbatch, replica);
  }
  Seconds overlapped(const Event& event, ReplicaId replica) const override {
    return under_->overlapped(event, replica);
  }
  Transfer transfer(const Event& event, ReplicaId replica) const override {
    return under_->transfer(event, replica);
  }
  MessageSize message(const Event& event, ReplicaId replica) const override {
    return under_->message(event, replica);
  }
  const StepEnd* step_end() const override { return under_->step_end(); }
  bool uniform(const Event& event) const override { return under_->uniform(event); }

  ModelState model_state(StageId stage) const override { return under_->model_state(stage); }
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override {
    return under_->held(stage, microbatch, replica);
  }
  bool holds_alike(StageId stage) const override { return under_->holds_alike(stage); }
  Bytes received(const Event& event, ReplicaId replica) const override {
    return under_->received(event, replica);
  }
  Bytes received_input(const Event& event, ReplicaId replica) const override {
    return under_->received_input(event, replica);
  }
  Bytes workspace(RankId rank) const override { return under_->workspace(rank); }

  std::vector<SlabCollective> collectives(const Event& event, ReplicaId replica) const override {
    return under_->collectives(event, replica);
  }
  InsidePass inside(const Event& event, ReplicaId replica) const override {
    return under_->inside(event, replica);
  }
  std::vector<PricedOperator> priced_operators(const Order& order) const override {
    return under_->priced_operators(order);
  }

 protected:
  explicit CostsOver(std::unique_ptr<CostModel> under) : under_(std::move(under)) {}
  const CostModel& under() const { return *under_; }

 private:
  std::unique_ptr<CostModel> under_;
};

}  // namespace spillway
