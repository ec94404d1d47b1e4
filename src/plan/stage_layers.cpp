#include "plan/stage_layers.h"

#include <algorithm>
#include <utility>

#include "experiment/costs.h"
#include "policy/layer_split.h"

namespace spillway {

Experiment StageLayers::experiment_of(const PlanLayout& layout) {
  Experiment experiment = spillway::experiment_of(job_, layout);
  ScheduleSpec& schedule = experiment.schedules.front();
  if (schedule.split == StageSplit::ByCount) return experiment;
  schedule.layers_per_rank = layers_by(times(layout, experiment), experiment, schedule);
  schedule.split = StageSplit::ByCount;
  return experiment;
}

const std::vector<Seconds>& StageLayers::times(const PlanLayout& layout, Experiment experiment) {
  auto& costs = std::get<AnalyticExperiment>(experiment.costs).costs;
  // Zero1 shares out nothing that a pass needs.
  const DataParallel data = layout.data == DataParallel::Zero1 ? DataParallel::Plain : layout.data;
  const bool alone = layout.expert == 1 && data == DataParallel::Plain;
  const Key key{layout.cluster,
                costs.packed ? layout.devices : 0,
                layout.tensor,
                layout.context,
                layout.expert,
                alone ? 0 : layout.replicas,
                layout.microbatch,
                layout.recompute,
                data};
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = times_.find(key); known != times_.end()) return known->second;
  }
  experiment.pipeline.microbatches = kMicrobatches;
  if (std::ranges::all_of(joined_replicas(costs), [](std::uint32_t joined) { return joined == 1; }))
    costs.equal_replicas = std::exchange(experiment.pipeline.replicas, 1);
  const DrawCosts draws(experiment, &samples_);
  std::vector<Seconds> times = layer_times(draws, PlanningDraws::expected(experiment));
  const std::lock_guard lock(mutex_);
  return times_.emplace(key, std::move(times)).first->second;
}

}  // namespace spillway
