#include "optimize/layer_split.h"

#include <algorithm>
#include <span>
#include <utility>

#include "derive/modules.h"
#include "derive/stage_split.h"
#include "model/model.h"
#include "optimize/placed_split.h"

namespace spillway {
namespace {

std::uint32_t ranks_of(LayerRange layers, const ScheduleSpec& schedule, std::uint32_t ranks) {
  const std::vector<PlacedModule>& modules = schedule.modules;
  return modules.empty() ? ranks : modules[module_of_layer(modules, layers.first)].ranks;
}

// Splits each module of a pipeline in segments by itself.
std::vector<std::uint32_t> layers_of_segments(const std::vector<Seconds>& times, const Model& model,
                                              const SegmentRule& segments, std::uint32_t ranks) {
  std::vector<std::uint32_t> all;
  std::span<const Seconds> left(times);
  const std::vector<std::uint32_t> modules = module_layers(model);
  for (std::size_t module = 0; module < modules.size(); ++module) {
    const auto split = balanced_split(left.first(modules[module]), segments.of_modules[module] * ranks);
    all.insert(all.end(), split.begin(), split.end());
    left = left.subspan(modules[module]);
  }
  return all;
}

// How the stages that begin with the model's first layer are split.
struct FirstRun {
  const PlacedStages& placed;
  std::uint32_t together;

  std::vector<std::uint32_t> split(std::span<const Seconds> times, std::uint32_t first,
                                   std::uint32_t stages) const {
    const bool whole = first == 0 && times.size() >= together;
    return whole ? placed_split(times, stages, placed, together) : balanced_split(times, stages);
  }
};

// Splits each region by itself.
std::vector<std::uint32_t> balanced_layers(const std::vector<Seconds>& times, const Model& model,
                                           const ScheduleSpec& schedule, std::uint32_t ranks,
                                           const FirstRun& run) {
  if (schedule.segments.segments() > 0) return layers_of_segments(times, model, schedule.segments, ranks);
  const NormalForm normal = normal_form(model, schedule.schedule, schedule.cut);
  const std::vector<Region> regions = regions_of(model, normal.cut);
  std::vector<std::uint32_t> all;
  for (std::size_t region = 0; region < regions.size(); ++region) {
    const Skeleton skeleton = normal.schedule.skeletons[region];
    if (layout_of(skeleton) != Layout::Sharded) continue;
    const LayerRange layers = regions[region].layers;
    const auto stages = static_cast<std::uint32_t>(stage_count(skeleton, ranks_of(layers, schedule, ranks)));
    const auto split = run.split(std::span(times).subspan(layers.first, layers.size()), layers.first, stages);
    all.insert(all.end(), split.begin(), split.end());
  }
  return all;
}

// Regions whose stages are split together, wherever a region ends.
struct JointRun {
  std::size_t first, end;
  std::uint32_t stages;  // of each region
};

// Returns one run for each module, if there are modules. Only the last module has several regions.
std::vector<JointRun> joint_runs(const ScheduleSpec& schedule, std::uint32_t ranks) {
  const auto stages = [](const Skeleton& skeleton, std::uint32_t on) {
    return static_cast<std::uint32_t>(stage_count(skeleton, on));
  };
  const std::vector<Skeleton>& all = schedule.schedule.skeletons;
  std::vector<JointRun> runs;
  if (schedule.modules.empty()) {
    for (const ShardedRun& run : sharded_runs(schedule.schedule))
      runs.push_back({run.first, run.end, stages(run.skeleton, ranks)});
    return runs;
  }
  for (std::size_t module = 0; module < schedule.modules.size(); ++module) {
    const std::size_t end = module + 1 < schedule.modules.size() ? module + 1 : all.size();
    runs.push_back({module, end, stages(all[module], schedule.modules[module].ranks)});
  }
  return runs;
}

// Splits each run as a whole. A region ends where its share of the stages ends.
void split_jointly(const std::vector<Seconds>& times, std::uint32_t ranks, const FirstRun& first_run,
                   ScheduleSpec& schedule) {
  std::vector<std::uint32_t>& boundaries = schedule.cut.boundaries;
  schedule.layers_per_rank.clear();
  for (const JointRun& run : joint_runs(schedule, ranks)) {
    const std::uint32_t first = run.first == 0 ? 0 : boundaries[run.first - 1];
    const std::size_t end = run.end - 1 < boundaries.size() ? boundaries[run.end - 1] : times.size();
    const auto regions = static_cast<std::uint32_t>(run.end - run.first);
    const auto split =
        first_run.split(std::span(times).subspan(first, end - first), first, run.stages * regions);
    std::uint32_t layer = first;
    for (std::uint32_t stage = 0; stage < split.size(); ++stage) {
      layer += split[stage];
      if ((stage + 1) % run.stages == 0 && stage + 1 < split.size())
        boundaries[run.first + stage / run.stages] = layer;
    }
    schedule.layers_per_rank.insert(schedule.layers_per_rank.end(), split.begin(), split.end());
  }
}

}  // namespace

ScheduleSpec with_stages(const std::vector<Seconds>& times, const Experiment& experiment,
                         ScheduleSpec schedule, const PlacedStages& placed) {
  const StageSplit split = std::exchange(schedule.split, StageSplit::ByCount);
  const std::uint32_t ranks = experiment.pipeline.ranks;
  const FirstRun run{placed, placed.encoder_first ? layers_of_first_stage(experiment) : 0};
  switch (split) {
    case StageSplit::ByCount:
      break;
    case StageSplit::Balanced:
      schedule.layers_per_rank = balanced_layers(times, experiment.model, schedule, ranks, run);
      break;
    case StageSplit::Joint:
      split_jointly(times, ranks, run, schedule);
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
