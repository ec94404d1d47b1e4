// A pipeline whose stages are perfectly balanced: what a what-if asks for.
#pragma once

#include <memory>
#include <vector>

#include "cost/costs_over.h"

namespace spillway {

// Every pipelined stage takes the mean of all pipelined stages of its devices' pipeline, microbatch by
// microbatch and pass by pass; a fused event takes what it did in proportion to its two passes. Transfers,
// reductions and bytes are those of the stages as they are.
class EvenStages final : public CostsOver {
 public:
  // Views `outline`, which outlives it.
  EvenStages(std::unique_ptr<CostModel> as_placed, const Outline& outline);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  bool uniform(const Event& event) const override;

  // In proportion to the time, as the stage it runs on has it.
  InsidePass inside(const Event& event, ReplicaId replica) const override;

 private:
  bool is_pipelined(StageId stage) const;
  const std::vector<StageId>& pipeline_of(StageId stage) const {
    return pipelines_[pipeline_[stage.index()]];
  }
  // Of the two passes of a fused event together; `even`: as they are here, else as they were placed.
  Seconds both(const Event& event, ReplicaId replica, bool even) const;
  Seconds mean(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const;

  const Outline& outline_;
  std::vector<std::vector<StageId>> pipelines_;  // the pipelined stages of each: one, or a module's copies
  std::vector<std::size_t> pipeline_;            // by stage
};

}  // namespace spillway
