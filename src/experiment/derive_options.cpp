#include "experiment/derive_options.h"

#include <utility>

#include "derive/modules.h"

namespace spillway {

DeriveOptions common_options(const Pipeline& pipeline, PointToPoint point_to_point, const JobCosts& costs) {
  DeriveOptions options{.pipeline = pipeline, .point_to_point = point_to_point};
  if (const AnalyticCosts* priced = on_platform(costs)) options.joined_replicas = joined_replicas(*priced);
  return options;
}

DeriveOptions derive_options(DeriveOptions common, const ScheduleSpec& schedule) {
  common.layers_per_rank = schedule.layers_per_rank;
  common.microbatch_group = schedule.microbatch_group;
  common.input = schedule.input;
  common.regrouping = schedule.regrouping;
  if (schedule.encodes) {
    common.owners = schedule.encodes->owners;
    common.placed = schedule.encodes->placed;
  }
  common.pipeline.microbatches *= schedule.segments.parts;
  if (!schedule.modules.empty()) {
    common.pipeline = unit_of(common.pipeline, schedule.modules);
    common.regrouping.dealt_to = common.pipeline.replicas;
    common.modules = schedule.modules;
    common.joined_replicas = {};  // no expert group spans replicas (experiment/modules.h)
  }
  return common;
}

DeriveOptions derive_options(const Experiment& experiment, const ScheduleSpec& schedule) {
  return derive_options(common_options(experiment.pipeline, experiment.point_to_point, experiment.costs),
                        schedule);
}

std::vector<Violation> check_derive(const Experiment& experiment, const ScheduleSpec& schedule) {
  const DeriveOptions options = derive_options(experiment, schedule);
  auto violations = check_derive(experiment.model, schedule.schedule, schedule.cut, options);
  if (violations.empty() && schedule.encodes)
    violations = check_encodes(experiment.model, schedule.schedule, schedule.cut, options);
  return violations;
}

}  // namespace spillway
