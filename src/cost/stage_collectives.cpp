#include "cost/stage_collectives.h"

#include <algorithm>
#include <utility>

namespace spillway {
namespace {

// The groups in which the devices of a rank's replica run a collective. An expert group may span replicas.
SlabCollective groups_beside(Among among, const DeviceGroup& like, const StageSlabs& stages, RankId rank,
                             ReplicaId replica) {
  const Parallelism& parallelism = stages.parallelism;
  const DeviceGrid& grid = stages.grid;
  const DeviceId first = grid.device(rank, replica, 0);
  const std::uint32_t tensor = parallelism.tensor, context = parallelism.context;
  SlabCollective at{};
  if (among == Among::Tensor) {
    at.group = {first, tensor};
    at.groups = context;
    at.group_stride = tensor;
  } else if (among == Among::Context && parallelism.context_by == ContextBy::Ulysses) {
    at.group = {first, context, tensor};
    at.groups = tensor;
    at.group_stride = 1;
  } else if (among == Among::Context) {
    // Each device sends to the next of its ring. The way back, from last to first, is left out. It takes no
    // longer: some pair of neighbours spans the same tier.
    at.group = {first, 2, tensor};
    at.groups = (context - 1) * tensor;
    at.group_stride = 1;
  } else {
    const std::uint32_t expert = parallelism.expert_devices();
    const DeviceId stage = grid.device(rank, ReplicaId(0), 0);
    const std::uint32_t before = (first.index() - stage.index()) / expert * expert;
    at.group = {DeviceId(stage.index() + before), like.size, like.stride};
    // Several nodes hold one group or several. The traffic of the rank's other groups does not meet this
    // group's.
    at.groups = (like.stride > 1 ? expert : std::max(expert, grid.members)) / like.size;
    at.group_stride = like.stride > 1 ? 1 : like.size;
  }
  return at;
}

}  // namespace

std::vector<Run> runs_of(const Event& event) {
  if (!event.computes()) return {};
  if (event.kind == EventKind::ForwardBackward)
    return {{event.stage, event.microbatch, Pass::Forward},
            {event.peer_stage, event.peer_microbatch, Pass::Backward}};
  return {{event.stage, event.microbatch, pass_of(event.kind)}};
}

CollectiveUses collective_uses(const AnalyticCosts& costs, const Outline& outline, const StageSlabs& stages) {
  CollectiveUses uses;
  TimedCollectives timed(costs.platform);
  for (std::uint32_t stage = 0; stage < outline.stages.size(); ++stage) {
    for (const StageSlabs::Part& part : stages.parts(StageId(stage))) {
      std::vector<SlabCollectiveUse>& own = uses.emplace_back();
      const StageSlabs::Block& block = stages.block(part);
      const Parallelism& parallelism = stages.parallelism;
      if (block.over_patches() && parallelism.encoder_tensor() == 1) continue;
      own = slab_collectives(stages.layers(stages.slab(part)), block.stack->width, block.gradients,
                             {&costs.platform, &costs.framework, stages.grid, outline.stages[stage].rank,
                              block.over_patches() ? parallelism.of_encoder() : parallelism, &timed},
                             block.recompute);
    }
  }
  return uses;
}

StageCollectives::StageCollectives(std::shared_ptr<const StageSlabs> stages,
                                   std::shared_ptr<const CollectiveUses> uses,
                                   std::shared_ptr<const DrawLoads> loads)
    : stages_(std::move(stages)), uses_(std::move(uses)), loads_(std::move(loads)), by_load_(uses_->size()) {
  for (std::uint32_t stage = 0; stage < stages_->stage_count(); ++stage) {
    for (const StageSlabs::Part& part : stages_->parts(StageId(stage))) {
      const std::span<const SlabCollectiveUse> own = this->uses(part);
      std::vector<SlabCommunication>& by_load = by_load_[part.index];
      if (own.empty()) continue;
      // Packed microbatches have equal tokens in different documents: one entry serves all loads.
      const bool alike = !stages_->block(part).over_patches() && loads_->equal_tokens();
      const std::size_t entries = alike ? std::min<std::size_t>(count(part), 1) : count(part);
      for (std::size_t load = 0; load < entries; ++load)
        by_load.push_back(slab_communication(own, tokens(part, load)) *
                          stages_->what_if_collective_time(stages_->block(part)));
    }
  }
}

std::size_t StageCollectives::count(const StageSlabs::Part& part) const {
  return stages_->block(part).over_patches() ? loads_->cells() : loads_->kinds().size();
}

double StageCollectives::tokens(const StageSlabs::Part& part, std::size_t load) const {
  if (stages_->block(part).over_patches())
    return loads_->devices(stages_->slab(part).block, load).front().patches;
  return loads_->kinds()[load].sequence / stages_->parallelism.context;
}

const SlabCommunication& StageCollectives::of(const StageSlabs::Part& part, MicrobatchId microbatch,
                                              ReplicaId replica) const {
  const std::vector<SlabCommunication>& by_load = by_load_[part.index];
  static const SlabCommunication none;
  if (by_load.empty()) return none;
  if (by_load.size() == 1) return by_load.front();
  return by_load[loads_->load(stages_->block(part).stack->unit, replica, microbatch)];
}

std::vector<SlabCollective> StageCollectives::inside(const Event& event, ReplicaId replica) const {
  std::vector<SlabCollective> all;
  for (const Run& run : runs_of(event))
    for (const StageSlabs::Part& part : stages_->parts(run.stage)) add(part, event, run, replica, all);
  return all;
}

void StageCollectives::add(const StageSlabs::Part& part, const Event& event, const Run& run,
                           ReplicaId replica, std::vector<SlabCollective>& all) const {
  const StageSlabs::Block& block = stages_->block(part);
  const double tokens = this->tokens(part, loads_->load(block.stack->unit, replica, run.microbatch));
  const bool fused = event.kind == EventKind::ForwardBackward;
  for (const Pass gradient : gradients_in(run.pass, block.gradients)) {
    for (const SlabCollectiveUse& use : uses(part)) {
      const bool again = gradient == Pass::InputGradient && use.pass == Pass::Forward && use.repeated > 0;
      if (use.among == Among::Data || (use.pass != gradient && !again)) continue;
      const bool covered =
          use.under == Hides::Pass || use.under == Hides::Attention ||
          (use.under == Hides::WeightGradient && run.pass == Pass::Backward && block.gradients.weight);
      const double alone = covered ? use.hidden : 0;  // share that hides in the pass itself
      const double run_again = 1 - alone, beside = fused ? use.beside : 0;
      const std::size_t group = use.slowest_group(tokens);
      SlabCollective collective = groups_beside(use.among, use.groups[group], *stages_, event.rank, replica);
      collective.operation = use.operation;
      collective.carrier = use.carrier;
      collective.algorithm = use.slowest(tokens).algorithm;
      collective.bytes = use.bytes_in(group, tokens);
      const auto push = [&](bool hidden, double share) {
        collective.hidden = hidden;
        collective.times = use.times * (again ? use.repeated : 1) * share * block.what_if_time;
        if (collective.times == 0) return;
        all.push_back(collective);
      };
      push(true, (again ? 0 : alone) + run_again * beside);
      push(false, run_again * (1 - beside));
    }
  }
}

}  // namespace spillway
