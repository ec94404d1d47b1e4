#include "cost/analytic_footprints.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cost/slabs/slab_footprint.h"

namespace spillway {
namespace {

// By stage: the number of ranks that hold its layers and share out their states.
std::vector<std::uint32_t> ranks_with_same_layers(const Outline& outline) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ranks;
  for (const Stage& stage : outline.stages) ++ranks[{stage.layers.first, stage.layers.end}];
  std::vector<std::uint32_t> by_stage;
  for (const Stage& stage : outline.stages)
    by_stage.push_back(outline.trained_on(stage.region) ? 1 : ranks[{stage.layers.first, stage.layers.end}]);
  return by_stage;
}

Bytes in_all(const Held& held) {
  return held.activations + held.recomputed + std::max(held.forward_workspace, held.backward_workspace);
}

// Tokens count for the tensor-parallel group; patches count for each member.
Held held_by_slab(const StageSlabs& stages, const DrawLoads& loads, const StageSlabs::Slab& slab,
                  MicrobatchId microbatch, ReplicaId replica) {
  if (!stages.block(slab).over_patches()) {
    const TokenLoad& tokens = loads.tokens(replica, microbatch);
    const double here = tokens.sequence / stages.parallelism.context;
    return slab.memory({here, tokens.pairs / stages.parallelism.context});
  }
  Held most;
  for (const DeviceImages& member : loads.devices(slab.block, loads.cell(replica, microbatch))) {
    const Held held = slab.memory({member.patches, pairs_of(member.images)});
    if (in_all(held) > in_all(most)) most = held;
  }
  return most;
}

}  // namespace

std::vector<ModelState> stage_states(const Outline& outline, const StageSlabs& stages) {
  const std::vector<std::uint32_t> ranks = ranks_with_same_layers(outline);
  std::vector<ModelState> states(outline.stages.size());
  for (std::uint32_t i = 0; i < states.size(); ++i) {
    for (const StageSlabs::Part& part : stages.parts(StageId(i))) {
      const StageSlabs::Block& block = stages.block(part);
      states[i] +=
          model_state(stages.slab(part).cost, block.stack->unit,
                      block.gradients.weight && outline.trains(outline.stages[i]), stages.parallelism,
                      ranks[i] * stages.grid.replicas, stages.gradient_buffer, stages.shards);
    }
  }
  return states;
}

std::vector<Bytes> gradient_placeholders(const Outline& outline, const StageSlabs& stages) {
  std::vector<WeightShapes> trained(outline.pipeline.ranks);
  for (std::uint32_t i = 0; i < outline.stages.size(); ++i) {
    for (const StageSlabs::Part& part : stages.parts(StageId(i))) {
      const StageSlabs::Block& block = stages.block(part);
      if (block.gradients.weight && outline.trains(outline.stages[i]))
        add_weight_shapes(trained[outline.stages[i].rank.index()], stages.layers(stages.slab(part)),
                          block.stack->unit, stages.parallelism);
    }
  }
  std::vector<Bytes> by_rank;
  for (const WeightShapes& shapes : trained) by_rank.push_back(gradient_placeholders(shapes));
  return by_rank;
}

bool uniform_on(const StageSlabs& stages, const DrawLoads& loads, StageId stage) {
  return std::ranges::all_of(stages.parts(stage), [&](const StageSlabs::Part& part) {
    return !stages.block(part).over_patches() && loads.kinds().size() == 1;
  });
}

bool holds_alike(const StageSlabs& stages, const DrawLoads& loads, StageId stage) {
  return uniform_on(stages, loads, stage) ||
         (loads.equal_tokens() &&
          std::ranges::none_of(stages.parts(stage), [&](const StageSlabs::Part& part) {
            return stages.block(part).over_patches() || stages.slab(part).memory.by_pairs();
          }));
}

AnalyticFootprints::AnalyticFootprints(const AnalyticCosts& costs, const Outline& outline,
                                       std::shared_ptr<const StageSlabs> stages,
                                       std::shared_ptr<const DrawLoads> loads)
    : stages_(std::move(stages)),
      loads_(std::move(loads)),
      seams_(costs, outline, stages_, loads_),
      states_(stage_states(outline, *stages_)),
      placeholders_(gradient_placeholders(outline, *stages_)) {}

Held held_by_stage(const StageSlabs& stages, const DrawLoads& loads, StageId stage, MicrobatchId microbatch,
                   ReplicaId replica) {
  Held total;
  for (const StageSlabs::Part& part : stages.parts(stage))
    total += held_by_slab(stages, loads, stages.slab(part), microbatch, replica);
  return total;
}

}  // namespace spillway
