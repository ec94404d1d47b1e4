// Of modules; of single layers: layer_times.cpp.
#include <algorithm>
#include <limits>

#include "experiment/layer_times.h"
#include "model/leading_encoder.h"

namespace spillway {
namespace {

constexpr double kOfPeak = 0.95;

// What is drawn of one of the experiment's workloads has so many samples; 0 where they are not counted.
std::uint32_t counted_samples(const Experiment& experiment) {
  std::uint32_t samples = 0;
  for (const PlacedWorkload& workload : workloads(experiment))
    if (workload.spec.packing == Packing::Unpacked) samples = workload.spec.samples_per_microbatch;
  return samples;
}

double patches_of(const Experiment& experiment, const WorkloadSpec& workload) {
  double sum = 0;
  const auto [ranks, microbatches, replicas] = experiment.pipeline;
  for (const std::uint32_t number : PlanningDraws::expected(experiment).numbers())
    for (const auto& replica : sample(workload, {microbatches, replicas, experiment.seed, number}))
      for (const MicrobatchLoad& load : replica)
        for (const std::uint32_t patches : load.image_patches) sum += patches;
  return sum;
}

// What the encoder takes of so many samples, over their patches, as if at once.
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

bool draws_images(const std::variant<GivenCosts, AnalyticExperiment>& costs) {
  if (const auto* given = std::get_if<GivenCosts>(&costs))
    return std::any_of(given->blocks.begin(), given->blocks.end(),
                       [](const BlockProfile& block) { return block.image_work.has_value(); });
  return std::get<AnalyticExperiment>(costs).workload.packing != Packing::TextOnly;
}

std::uint32_t efficient_parts(const Experiment& experiment) {
  const std::uint32_t samples = counted_samples(experiment);
  if (samples <= 1) return 1;
  if (std::holds_alternative<GivenCosts>(experiment.costs)) return samples;
  return samples / smallest_efficient(experiment, samples);
}

}  // namespace spillway
