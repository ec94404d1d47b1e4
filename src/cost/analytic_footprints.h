// The memory that devices hold under the analytic cost model (analytic.h). It needs no prices.
#pragma once

#include <memory>
#include <vector>

#include "cost/seam_transfers.h"
#include "cost/slabs/footprint.h"
#include "cost/stage_slabs.h"

namespace spillway {

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
    return state;
  }
  // On the member that holds the most.
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
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
