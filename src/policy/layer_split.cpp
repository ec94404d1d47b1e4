#include "policy/layer_split.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/exact_sum.h"
#include "cost/layers/architecture.h"
#include "derive/stage_split.h"
#include "experiment/derive_options.h"
#include "model/leading_encoder.h"

namespace spillway {
namespace {

// The job with a layer of each kind a stage of its own, all on one rank: what a cost model prices layers by.
Outline layer_by_layer(const Experiment& experiment, const std::vector<std::uint32_t>& firsts) {
  Outline layers =
      derive_outline(experiment.model, Schedule{{SkeletonKind::GPipe}}, Cut{},
                     common_options(experiment.pipeline, experiment.point_to_point, experiment.costs));
  layers.stages.clear();
  for (const std::uint32_t layer : firsts)
    layers.stages.push_back({RegionId(0), RankId(0), layer, {layer, layer + 1}});
  return layers;
}

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
  // What a block takes whatever its layers is in its first.
  const std::uint32_t fixed = block.fixed_per_microbatch > Seconds() ? 1 : 0;
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

// Each region by itself.
std::vector<std::uint32_t> balanced_layers(const std::vector<Seconds>& times, const Model& model,
                                           const ScheduleSpec& schedule, std::uint32_t ranks) {
  const NormalForm normal = normal_form(schedule.schedule, schedule.cut);
  const std::vector<Region> regions = regions_of(model, normal.cut);
  std::vector<std::uint32_t> all;
  for (std::size_t region = 0; region < regions.size(); ++region) {
    const Skeleton skeleton = normal.schedule.skeletons[region];
    if (layout_of(skeleton) != Layout::Sharded) continue;
    const LayerRange layers = regions[region].layers;
    const auto stages = static_cast<std::uint32_t>(stage_count(skeleton, ranks));
    const auto split = balanced_split(std::span(times).subspan(layers.first, layers.size()), stages);
    all.insert(all.end(), split.begin(), split.end());
  }
  return all;
}

// Each run as one; a region ends where its share of the stages does.
void split_jointly(const std::vector<Seconds>& times, std::uint32_t ranks, ScheduleSpec& schedule) {
  std::vector<std::uint32_t>& boundaries = schedule.cut.boundaries;
  schedule.layers_per_rank.clear();
  for (const ShardedRun& run : sharded_runs(schedule.schedule)) {
    const std::uint32_t first = run.first == 0 ? 0 : boundaries[run.first - 1];
    const std::size_t end = run.end - 1 < boundaries.size() ? boundaries[run.end - 1] : times.size();
    const auto stages = static_cast<std::uint32_t>(stage_count(run.skeleton, ranks));
    const auto regions = static_cast<std::uint32_t>(run.end - run.first);
    const auto split = balanced_split(std::span(times).subspan(first, end - first), stages * regions);
    std::uint32_t layer = first;
    for (std::uint32_t stage = 0; stage < split.size(); ++stage) {
      layer += split[stage];
      if ((stage + 1) % stages == 0 && stage + 1 < split.size())
        boundaries[run.first + stage / stages] = layer;
    }
    schedule.layers_per_rank.insert(schedule.layers_per_rank.end(), split.begin(), split.end());
  }
}

}  // namespace

std::vector<Seconds> layer_times(const DrawCosts& costs, const PlanningDraws& draws) {
  const std::vector<std::uint32_t> first_of_kind = kinds_of(costs.experiment());
  std::vector<std::uint32_t> firsts = first_of_kind;
  std::ranges::sort(firsts);
  firsts.erase(std::ranges::unique(firsts).begin(), firsts.end());
  const Outline layers = layer_by_layer(costs.experiment(), firsts);
  std::vector<Seconds> times(first_of_kind.size());
  for (const std::uint32_t draw : draws.numbers()) {
    const auto model = costs.of(layers, draw);
    for (std::uint32_t stage = 0; stage < firsts.size(); ++stage)
      times[firsts[stage]] += mean_of(layers.pipeline, *model, StageId(stage));
  }
  for (std::uint32_t layer = 0; layer < times.size(); ++layer) times[layer] = times[first_of_kind[layer]];
  return times;  // sums over the draws: a split takes them as well as means
}

ScheduleSpec with_stages(const std::vector<Seconds>& times, const Experiment& experiment,
                         ScheduleSpec schedule) {
  const StageSplit split = std::exchange(schedule.split, StageSplit::ByCount);
  const std::uint32_t ranks = experiment.pipeline.ranks;
  switch (split) {
    case StageSplit::ByCount:
      break;
    case StageSplit::Balanced:
      schedule.layers_per_rank = balanced_layers(times, experiment.model, schedule, ranks);
      break;
    case StageSplit::Joint:
      split_jointly(times, ranks, schedule);
      break;
    case StageSplit::Disaggregated:
      schedule.layers_per_rank =
          disaggregated_split(times, module_layers(experiment.model), ranks, schedule.encoder_ranks);
      break;
  }
  return schedule;
}

ScheduleSpec with_planned_stages(const DrawCosts& costs, ScheduleSpec schedule, const PlanningDraws& draws) {
  if (schedule.split == StageSplit::ByCount) return schedule;
  return with_stages(layer_times(costs, draws), costs.experiment(), std::move(schedule));
}

}  // namespace spillway
