#include "search/stage_layers.h"

#include <utility>

#include "draws/costs.h"
#include "optimize/layer_split.h"

namespace spillway {

Experiment StageLayers::experiment_of(const PlanLayout& layout) {
  Experiment experiment = spillway::experiment_of(job_, layout);
  ScheduleSpec& schedule = experiment.schedules.front();
  if (schedule.split == StageSplit::ByCount) return experiment;
  const PlacedStages placed = on_platform(experiment.costs)->framework.stages.value_or(PlacedStages());
  schedule = with_stages(times(layout, experiment), experiment, std::move(schedule), placed);
  return experiment;
}

const std::vector<Seconds>& StageLayers::times(const PlanLayout& layout, Experiment experiment) {
  const auto& costs = *on_platform(experiment.costs);
  PlanLayout key = layout;
  // Zero1 shards nothing that a pass needs.
  if (key.data == DataParallel::Zero1) key.data = DataParallel::Plain;
  if (!costs.packed) key.devices = 0;
  if (key.expert == 1 && key.data == DataParallel::Plain) key.replicas = 0;
  key.ranks = key.microbatches = 0;
  key.schedule = 0;
  return times_.of(key, [&] {
    const DrawCosts draws(of_one_replica(std::move(experiment), kMicrobatches), &samples_);
    return layer_times(draws, PlanningDraws::expected(draws.experiment()));
  });
}

}  // namespace spillway
