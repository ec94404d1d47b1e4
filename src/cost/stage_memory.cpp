#include "cost/stage_memory.h"

#include <algorithm>
#include <map>
#include <utility>

namespace spillway {
namespace {

// By stage: on how many ranks its layers lie.
std::vector<std::uint32_t> ranks_with_same_layers(const Derived& outline) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ranks;
  for (const Stage& stage : outline.stages) ++ranks[{stage.layers.first, stage.layers.end}];
  std::vector<std::uint32_t> by_stage;
  for (const Stage& stage : outline.stages) by_stage.push_back(ranks[{stage.layers.first, stage.layers.end}]);
  return by_stage;
}

Bytes in_all(const Held& held) {
  return held.activations + held.recomputed + std::max(held.forward_workspace, held.backward_workspace);
}

}  // namespace

StageMemory::StageMemory(const Derived& outline, std::shared_ptr<const StageSlabs> stages,
                         std::shared_ptr<const DrawLoads> loads)
    : stages_(std::move(stages)), loads_(std::move(loads)) {
  const Parallelism& parallelism = stages_->parallelism();
  const std::vector<std::uint32_t> ranks = ranks_with_same_layers(outline);
  std::vector<WeightShapes> trained(outline.pipeline.ranks);
  for (std::uint32_t i = 0; i < outline.stages.size(); ++i) {
    const Stage& stage = outline.stages[i];
    const std::uint32_t copies = ranks[i] * stages_->grid().replicas;
    ModelState& state = states_.emplace_back();
    for (const StageSlabs::Part& part : stages_->parts(StageId(i))) {
      const StageSlabs::Block& block = stages_->block(part);
      const StageSlabs::Slab& slab = stages_->slab(part);
      state += model_state(slab.cost, block.stack.unit, block.gradients.weight, parallelism, copies);
      if (block.gradients.weight)
        add_weight_shapes(trained[stage.rank.index()], stages_->layers(slab), block.stack.unit, parallelism);
    }
  }
  for (const WeightShapes& shapes : trained) placeholders_.push_back(gradient_placeholders(shapes));
}

// Tokens of a tensor-parallel group; of the patches, each member's own.
Held StageMemory::held(const StageSlabs::Slab& slab, MicrobatchId microbatch, ReplicaId replica) const {
  if (!stages_->block(slab).over_patches()) {
    const TokenLoad& tokens = loads_->tokens(replica, microbatch);
    const double here = tokens.sequence / stages_->parallelism().context;
    return slab.memory({here, here * tokens.length()});
  }
  Held most;
  for (const DeviceImages& member : loads_->devices(slab.block, loads_->cell(replica, microbatch))) {
    const Held held = slab.memory({member.patches, pairs_of(member.images)});
    if (in_all(held) > in_all(most)) most = held;
  }
  return most;
}

Held StageMemory::held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  Held total;
  for (const StageSlabs::Part& part : stages_->parts(stage))
    total += held(stages_->slab(part), microbatch, replica);
  return total;
}

}  // namespace spillway
