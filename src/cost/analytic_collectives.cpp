// The collectives inside an event, for a replay that shows them as flows.
#include <algorithm>

#include "cost/analytic.h"
#include "cost/event_runs.h"

namespace spillway {
namespace {

// The groups that the devices of a rank's replica run a collective in; an expert group may span replicas.
SlabCollective groups_beside(Among among, const DeviceGroup& like, const Parallelism& parallelism,
                             const DeviceGrid& grid, RankId rank, ReplicaId replica) {
  const DeviceId first = grid.device(rank, replica, 0);
  const std::uint32_t tensor = parallelism.tensor, context = parallelism.context;
  SlabCollective at{};
  if (among == Among::Tensor) {
    at.group = {first, tensor};
    at.groups = context;
    at.group_stride = tensor;
  } else if (among == Among::Context) {
    // From each device to the next of its ring; the way back, from last to first, is left out. It takes no
    // longer: some pair of neighbours spans the same tier.
    at.group = {first, 2, tensor};
    at.groups = (context - 1) * tensor;
    at.group_stride = 1;
  } else {
    const std::uint32_t expert = parallelism.expert;
    const DeviceId stage = grid.device(rank, ReplicaId(0), 0);
    const std::uint32_t before = (first.index() - stage.index()) / expert * expert;
    at.group = {DeviceId(stage.index() + before), like.size, like.stride};
    // Several nodes hold one group or several; what other groups of the rank send does not meet it.
    at.groups = (like.stride > 1 ? expert : std::max(expert, grid.members)) / like.size;
    at.group_stride = like.stride > 1 ? 1 : like.size;
  }
  return at;
}

}  // namespace

std::vector<SlabCollective> AnalyticCostModel::collectives(const Outline&, const Event& event,
                                                           ReplicaId replica) const {
  std::vector<SlabCollective> all;
  for (const Run& run : runs_of(event)) {
    for (std::size_t i = first_part_[run.stage.index()]; i < first_part_[run.stage.index() + 1]; ++i)
      add_collectives(parts_[i], event, run, replica, all);
  }
  return all;
}

void AnalyticCostModel::add_collectives(const Part& part, const Event& event, const Run& run,
                                        ReplicaId replica, std::vector<SlabCollective>& all) const {
  const Block& block = blocks_[slabs_[part.slab].block];
  const double tokens = loads_->tokens(replica, run.microbatch).sequence / parallelism_.context;
  const bool fused = event.kind == EventKind::ForwardBackward;
  for (const Pass gradient : gradients_in(run.pass, block.gradients)) {
    for (const SlabCollectiveUse& use : part.uses) {
      const bool again = gradient == Pass::InputGradient && use.pass == Pass::Forward &&
                         use.under == Hides::Nothing && block.recompute == Recompute::Full;
      if (use.among == Among::Data || (use.pass != gradient && !again)) continue;
      const bool hidden =
          use.under == Hides::Pass || use.under == Hides::Attention ||
          (use.under == Hides::WeightGradient && run.pass == Pass::Backward && block.gradients.weight) ||
          (fused && use.among != Among::Tensor);
      const std::size_t group = use.slowest_group(tokens);
      SlabCollective collective =
          groups_beside(use.among, use.groups[group], parallelism_, grid_, event.rank, replica);
      collective.operation = use.operation;
      collective.algorithm = use.slowest(tokens).algorithm;
      collective.bytes = use.bytes_in(group, tokens);
      collective.times = use.times;
      collective.hidden = hidden;
      all.push_back(collective);
    }
  }
}

}  // namespace spillway
