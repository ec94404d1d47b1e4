// The what-if of perfectly balanced pipeline stages.
#pragma once

#include <memory>
#include <vector>

#include "cost/costs_over.h"

namespace spillway {

// Every pipelined stage takes the mean time of all pipelined stages of its pipeline, for each microbatch and
// pass. A fused event changes in proportion to the sum of its two passes. Transfers, reductions and bytes
// stay those of the original stages.
class EvenStages final : public CostsOver {
 public:
  // Views `outline`, which outlives it.
  EvenStages(std::unique_ptr<CostModel> as_placed, const Outline& outline);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  bool uniform(const Event& event) const override;

  // Scales what the stage's own event has inside, in proportion to its time.
  InsidePass inside(const Event& event, ReplicaId replica) const override;

 private:
  bool is_pipelined(StageId stage) const;
  const std::vector<StageId>& pipeline_of(StageId stage) const {
    return pipelines_[pipeline_[stage.index()]];
  }
  // Returns the time of both passes of a fused event: with even stages if `even`, else with the original
  // ones.
  Seconds both(const Event& event, ReplicaId replica, bool even) const;
  Seconds mean(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const;

  const Outline& outline_;
  std::vector<std::vector<StageId>>
      pipelines_;  // pipelined stages of each pipeline: one pipeline, or the copies of each module
  std::vector<std::size_t> pipeline_;  // by stage
};

}  // namespace spillway
