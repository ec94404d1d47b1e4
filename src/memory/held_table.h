// What the stages of one replica hold: asked of a cost model once of a stage that holds alike, else each
// time. Private to src/memory.
#pragma once

#include <optional>
#include <vector>

#include "cost/price.h"

namespace spillway {

// Views both arguments, which outlive it.
class HeldTable {
 public:
  HeldTable(const Outline& derived, const CostModel& costs, ReplicaId replica);

  Held operator()(StageId stage, MicrobatchId microbatch) const {
    const std::optional<Held>& alike = alike_[stage.index()];
    return alike ? *alike : costs_.held(derived_, stage, microbatch, replica_);
  }

 private:
  const Outline& derived_;
  const CostModel& costs_;
  ReplicaId replica_;
  std::vector<std::optional<Held>> alike_;  // by stage
};

}  // namespace spillway
