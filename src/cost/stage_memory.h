// What the stages of a job hold.
#pragma once

#include <vector>

#include "cost/slabs/slab_footprint.h"
#include "cost/stage_slabs.h"

namespace spillway {

// By stage.
std::vector<ModelState> stage_states(const Outline& outline, const StageSlabs& stages);

// By rank: what takes the place of weight gradients in the framework's graph.
std::vector<Bytes> gradient_placeholders(const Outline& outline, const StageSlabs& stages);

// On the member that holds the most.
Held held_by_stage(const StageSlabs& stages, const DrawLoads& loads, StageId stage, MicrobatchId microbatch,
                   ReplicaId replica);

}  // namespace spillway
