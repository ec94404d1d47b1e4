#include "draws/layer_times.h"

#include <algorithm>
#include <limits>

#include "base/exact_sum.h"
#include "draws/layer_kinds.h"
#include "experiment/derive_options.h"
#include "model/model.h"

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
  return Seconds(sum.over(static_cast<double>(replicas) * microbatches));
}

// Returns, for each layer of the model, the first layer of its kind. If durations are given, the layers of a
// block are one kind.
std::vector<std::uint32_t> kinds_of(const Experiment& experiment) {
  const AnalyticCosts* priced = on_platform(experiment.costs);
  std::vector<std::uint32_t> first_of_kind;
  for (std::size_t block = 0; block < experiment.model.blocks().size(); ++block) {
    const LayerRange layers = experiment.model.layers_of(block);
    std::vector<std::uint32_t> kinds(layers.size(), 0);
    if (priced) kinds = kinds_of(priced->blocks[block]);
    for (const std::uint32_t kind : kinds) first_of_kind.push_back(layers.first + kind);
  }
  return first_of_kind;
}

}  // namespace

LayersApart layers_apart(const Experiment& experiment) {
  const LayerKinds kinds = layer_kinds(kinds_of(experiment));
  LayersApart layers{kinds.of, derive_outline(experiment.model, Schedule{{SkeletonKind::GPipe}}, Cut{},
                                              common_options(experiment.pipeline, experiment.point_to_point,
                                                             experiment.costs))};
  layers.outline.stages = stages_apart(kinds);
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
  return times;  // sums over the draws, which splits use just as well as means
}

namespace {

constexpr double kOfPeak = 0.95;

// Returns the samples in a microbatch of the experiment's workload, or 0 if the workload does not count them.
std::uint32_t counted_samples(const Experiment& experiment) {
  std::uint32_t samples = 0;
  for (const PlacedWorkload& workload : workloads(experiment))
    if (workload.spec.packing == Packing::Unpacked) samples = workload.spec.samples_per_microbatch;
  return samples;
}

double patches_of(const Experiment& experiment, const WorkloadSpec& workload) {
  double sum = 0;
  const auto [ranks, microbatches, replicas] = experiment.pipeline;
  const PlanningDraws draws = PlanningDraws::expected(experiment);
  for (const std::uint32_t number : draws.numbers())
    for (const auto& replica : sample(workload, {microbatches, replicas, experiment.seed, number}))
      for (const MicrobatchLoad& load : replica)
        for (const MediaItem& item : load.media) sum += item.patches;
  return sum;
}

// Returns the encoder's time for microbatches of `samples` samples, divided by their patches.
double time_of_a_patch(Experiment experiment, std::uint32_t samples) {
  auto& workload = std::get<AnalyticExperiment>(experiment.costs).workload;
  workload.samples_per_microbatch = samples;
  const double patches = patches_of(experiment, workload);
  return patches > 0 ? module_times(experiment).front().value() / patches : 0;
}

std::uint32_t smallest_efficient(const Experiment& experiment, std::uint32_t samples) {
  std::vector<std::pair<std::uint32_t, double>> sizes;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t size = 1; size <= samples; ++size) {
    if (samples % size != 0) continue;
    sizes.emplace_back(size, time_of_a_patch(experiment, size));
    least = std::min(least, sizes.back().second);
  }
  return std::find_if(sizes.begin(), sizes.end(),
                      [&](const auto& size) { return size.second * kOfPeak <= least; })
      ->first;
}

}  // namespace

std::vector<Seconds> module_times(const Experiment& experiment) {
  const PlanningDraws draws = PlanningDraws::expected(experiment);
  const std::vector<Seconds> layers = layer_times(DrawCosts(experiment), draws);
  std::vector<Seconds> times;
  std::uint32_t layer = 0;
  for (const std::uint32_t count : module_layers(experiment.model)) {
    Seconds& all = times.emplace_back();
    for (const std::uint32_t end = layer + count; layer < end; ++layer) all += layers[layer];
    all = all / static_cast<double>(draws.numbers().size());
  }
  return times;
}

bool draws_images(const JobCosts& costs) {
  if (const auto* given = std::get_if<GivenCosts>(&costs))
    return std::any_of(given->blocks.begin(), given->blocks.end(),
                       [](const BlockProfile& block) { return block.image_work.has_value(); });
  return std::get<AnalyticExperiment>(costs).workload.packing != Packing::TextOnly;
}

std::uint32_t efficient_parts(const Experiment& experiment) {
  const std::uint32_t samples = counted_samples(experiment);
  if (samples <= 1) return 1;
  if (!on_platform(experiment.costs)) return samples;
  return samples / smallest_efficient(experiment, samples);
}

}  // namespace spillway
