// The collectives inside the passes of stages under one draw: their times, and which run when.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cost/cost_model.h"
#include "cost/slabs/slab_collectives.h"
#include "cost/stage_slabs.h"

namespace spillway {

// A pass of a stage over a microbatch.
struct Run {
  StageId stage;
  MicrobatchId microbatch;
  Pass pass;
};

// The passes of an event; none if it does not compute.
std::vector<Run> runs_of(const Event& event);

// By part of the stages. Parts over patches have none, except those of a split encoder. They do not depend on
// a draw.
using CollectiveUses = std::vector<std::vector<SlabCollectiveUse>>;
CollectiveUses collective_uses(const AnalyticCosts& costs, const Outline& outline, const StageSlabs& stages);

class StageCollectives {
 public:
  // Contract: `uses` belong to `stages`.
  StageCollectives(std::shared_ptr<const StageSlabs> stages, std::shared_ptr<const CollectiveUses> uses,
                   std::shared_ptr<const DrawLoads> loads);

  std::span<const SlabCollectiveUse> uses(const StageSlabs::Part& part) const { return (*uses_)[part.index]; }
  const SlabCommunication& of(const StageSlabs::Part& part, MicrobatchId microbatch, ReplicaId replica) const;
  // The tokens or patches of a load (DrawLoads::load) that a tensor-parallel group has.
  double tokens(const StageSlabs::Part& part, std::size_t load) const;

  // The collectives of Breakdown (cost_model.h): those among the devices of a pipeline rank, or of replicas
  // that advance together. ZeRO's collectives run among replicas that do not, and stay inside the price.
  std::vector<SlabCollective> inside(const Event& event, ReplicaId replica) const;

 private:
  std::size_t count(const StageSlabs::Part& part) const;  // number of loads
  void add(const StageSlabs::Part& part, const Event& event, const Run& run, ReplicaId replica,
           std::vector<SlabCollective>& all) const;

  std::shared_ptr<const StageSlabs> stages_;
  std::shared_ptr<const CollectiveUses> uses_;
  std::shared_ptr<const DrawLoads> loads_;
  std::vector<std::vector<SlabCommunication>> by_load_;  // by part and DrawLoads::load; empty without uses
};

}  // namespace spillway
