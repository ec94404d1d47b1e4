// The memory that devices hold under the analytic cost model (analytic.h). It needs no prices.
#pragma once

#include <memory>
#include <vector>

#include "cost/seam_transfers.h"
#include "cost/slabs/footprint.h"
#include "cost/stage_slabs.h"

namespace spillway {

// By stage.
std::vector<ModelState> stage_states(const Outline& outline, const StageSlabs& stages);

// By rank: the tensors that take the place of weight gradients in the framework's graph.
std::vector<Bytes> gradient_placeholders(const Outline& outline, const StageSlabs& stages);

// On the member that holds the most.
Held held_by_stage(const StageSlabs& stages, const DrawLoads& loads, StageId stage, MicrobatchId microbatch,
                   ReplicaId replica);

// Returns true if all microbatches of the loads cost a stage the same: it runs over tokens, and all
// microbatches have equally many sequences of one length.
bool uniform_on(const StageSlabs& stages, const DrawLoads& loads, StageId stage);

class AnalyticFootprints final : public Footprints {
 public:
  // The arguments are those of AnalyticCostModel.
  AnalyticFootprints(const AnalyticCosts& costs, const Outline& outline,
                     std::shared_ptr<const StageSlabs> stages, std::shared_ptr<const DrawLoads> loads);

  // A swapped optimizer is not on the device. The piece that is being updated is left out.
  ModelState model_state(StageId stage) const override {
    ModelState state = states_[stage.index()];
    if (stages_->parallelism.optimizer == OptimizerPlace::Swapped) state.optimizer = {};
    state.optimizer = state.optimizer * (1 - stages_->parallelism.states.offloaded);
    return state;
  }
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override {
    return held_by_stage(*stages_, *loads_, stage, microbatch, replica);
  }
  bool holds_alike(StageId stage) const override { return uniform_on(*stages_, *loads_, stage); }
  Bytes received(const Event& event, ReplicaId replica) const override {
    return seams_.received(event, replica);
  }
  Bytes received_input(const Event& event, ReplicaId replica) const override {
    return seams_.input(event, replica);
  }
  Bytes workspace(RankId rank) const override { return placeholders_[rank.index()]; }

  const SeamTransfers& seams() const { return seams_; }
  const std::vector<ModelState>& states() const { return states_; }  // by stage

 private:
  std::shared_ptr<const StageSlabs> stages_;
  std::shared_ptr<const DrawLoads> loads_;
  SeamTransfers seams_;
  std::vector<ModelState> states_;   // by stage
  std::vector<Bytes> placeholders_;  // by rank
};

}  // namespace spillway
