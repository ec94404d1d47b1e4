#include "experiment/layer_times.h"

#include <algorithm>

#include "base/exact_sum.h"
#include "cost/layers/architecture.h"
#include "experiment/derive_options.h"

namespace spillway {
namespace {

Seconds both_passes(const Pricing& costs, StageId layer, MicrobatchId microbatch, ReplicaId replica) {
  return costs.pass(Pass::Forward, layer, microbatch, replica) +
         costs.pass(Pass::Backward, layer, microbatch, replica);
}

Seconds mean_of(const Pipeline& pipeline, const Pricing& costs, StageId layer) {
  const Event forward{.kind = EventKind::Forward, .stage = layer},
      backward{.kind = EventKind::Backward, .stage = layer};
  const bool uniform = costs.uniform(forward) && costs.uniform(backward);
  if (uniform) return both_passes(costs, layer, MicrobatchId(0), ReplicaId(0));
  const auto [ranks, microbatches, replicas] = pipeline;
  ExactSum sum;
  for (std::uint32_t replica = 0; replica < replicas; ++replica)
    for (std::uint32_t m = 0; m < microbatches; ++m)
      sum.add(both_passes(costs, layer, MicrobatchId(m), ReplicaId(replica)));
  return Seconds(sum.value() / (static_cast<double>(replicas) * microbatches));
}

// Of a block's layers, which are alike: the index of the first such by layer.
std::vector<std::uint32_t> kinds_of(const BlockCosts& block) {
  const std::vector<Layer> layers = layer_stack(block.architecture).layers;
  // A fixed time that is the first layer's makes that one another kind.
  const bool first = block.fixed_in == FixedIn::FirstLayer && block.fixed_per_microbatch > Seconds();
  const std::uint32_t fixed = first ? 1 : 0;
  std::vector<std::uint32_t> kinds;
  for (std::uint32_t layer = 0; layer < layers.size(); ++layer) {
    const auto like = std::find(layers.begin() + std::min(layer, fixed), layers.end(), layers[layer]);
    kinds.push_back(static_cast<std::uint32_t>(like - layers.begin()));
  }
  return kinds;
}

// The first layer of its kind by layer: of a block all take the same where durations are given.
std::vector<std::uint32_t> kinds_of(const Experiment& experiment) {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment.costs);
  std::vector<std::uint32_t> first_of_kind;
  for (std::size_t block = 0; block < experiment.model.blocks().size(); ++block) {
    const LayerRange layers = experiment.model.layers_of(block);
    std::vector<std::uint32_t> kinds(layers.size(), 0);
    if (analytic) kinds = kinds_of(analytic->costs.blocks[block]);
    for (const std::uint32_t kind : kinds) first_of_kind.push_back(layers.first + kind);
  }
  return first_of_kind;
}

}  // namespace

LayersApart layers_apart(const Experiment& experiment) {
  const std::vector<std::uint32_t> first_of_kind = kinds_of(experiment);
  std::vector<std::uint32_t> firsts = first_of_kind;
  std::ranges::sort(firsts);
  firsts.erase(std::ranges::unique(firsts).begin(), firsts.end());
  LayersApart layers{
      {},
      derive_outline(experiment.model, Schedule{{SkeletonKind::GPipe}}, Cut{},
                     common_options(experiment.pipeline, experiment.point_to_point, experiment.costs))};
  layers.outline.stages.clear();
  for (const std::uint32_t layer : firsts)
    layers.outline.stages.push_back({RegionId(0), RankId(0), layer, {layer, layer + 1}});
  for (const std::uint32_t first : first_of_kind)
    layers.stage_of.push_back(static_cast<std::uint32_t>(std::ranges::find(firsts, first) - firsts.begin()));
  return layers;
}

std::vector<Seconds> layer_times(const DrawCosts& costs, const PlanningDraws& draws) {
  const auto [stage_of, outline] = layers_apart(costs.experiment());
  std::vector<Seconds> of_kind(outline.stages.size()), times;
  for (const std::uint32_t draw : draws.numbers()) {
    const auto model = costs.of(outline, draw);
    for (std::uint32_t stage = 0; stage < of_kind.size(); ++stage)
      of_kind[stage] += mean_of(outline.pipeline, *model, StageId(stage));
  }
  for (const std::uint32_t stage : stage_of) times.push_back(of_kind[stage]);
  return times;  // sums over the draws: a split takes them as well as means
}

}  // namespace spillway
