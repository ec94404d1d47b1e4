// What the stages of a job hold under one draw.
#pragma once

#include <memory>
#include <vector>

#include "cost/slabs/slab_footprint.h"
#include "cost/stage_slabs.h"

namespace spillway {

class StageMemory {
 public:
  StageMemory(const Derived& outline, std::shared_ptr<const StageSlabs> stages,
              std::shared_ptr<const DrawLoads> loads);

  const ModelState& state(StageId stage) const { return states_[stage.index()]; }
  // What takes the place of weight gradients in the framework's graph.
  Bytes placeholders(RankId rank) const { return placeholders_[rank.index()]; }
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const;

 private:
  Held held(const StageSlabs::Slab& slab, MicrobatchId microbatch, ReplicaId replica) const;

  std::shared_ptr<const StageSlabs> stages_;
  std::shared_ptr<const DrawLoads> loads_;
  std::vector<ModelState> states_;   // by stage
  std::vector<Bytes> placeholders_;  // by rank
};

}  // namespace spillway
