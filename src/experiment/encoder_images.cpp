#include "experiment/encoder_images.h"

#include <algorithm>
#include <variant>

namespace spillway {

bool encodes_images(const Experiment& experiment) {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment.costs);
  return analytic && analytic->workload.packing != Packing::TextOnly &&
         std::ranges::any_of(experiment.model.blocks(),
                             [](const Block& block) { return block.role == Role::Encoder; });
}

bool shares_images(const Experiment& experiment) {
  return encodes_images(experiment) &&
         std::get<AnalyticExperiment>(experiment.costs).costs.parallelism.images == EncoderImages::Shared;
}

bool has_several_devices(const Experiment& experiment) {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment.costs);
  if (analytic && analytic->costs.parallelism.members() > 1) return true;
  return std::ranges::any_of(experiment.schedules, [](const ScheduleSpec& schedule) {
    return schedule.solve_modules || std::ranges::any_of(schedule.modules, [](const PlacedModule& module) {
             return module.members() > 1;
           });
  });
}

}  // namespace spillway
