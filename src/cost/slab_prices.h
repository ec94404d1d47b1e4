// What slabs compute under one draw: the times of their passes, by kind of microbatch.
#pragma once

#include <memory>
#include <vector>

#include "cost/slabs/priced_slabs.h"
#include "cost/stage_slabs.h"

namespace spillway {

// One device's part of a microbatch's tokens; the view is of `sequences`, which is set.
SlabLoad load_of(const TokenLoad& tokens, const Parallelism& parallelism, Sequences& sequences);

class SlabPrices {
 public:
  // What `known` has is not priced again, the rest is added to it.
  SlabPrices(std::shared_ptr<const StageSlabs> stages, std::shared_ptr<const DrawLoads> loads,
             PricedSlabs& known);

  const SlabTimes& of(const StageSlabs::Part& part, MicrobatchId microbatch, ReplicaId replica) const {
    return (*times_[part.slab])[loads_->load(stages_->block(part).stack.unit, replica, microbatch)];
  }

 private:
  std::vector<SlabTimes> price(const StageSlabs::Slab& slab) const;

  std::shared_ptr<const StageSlabs> stages_;
  std::shared_ptr<const DrawLoads> loads_;
  std::vector<SlabTimesByLoad> times_;  // by slab
};

}  // namespace spillway
