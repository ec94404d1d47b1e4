// Most layouts that cannot be launched have a schedule, a workload or a software for which no launch is
// written. One launch of each cluster and schedule finds these, so the search asks for few launches with
// planned stages. Test: tests/search/frameworks_test.cpp.
#include "search/software/launch_check.h"

#include "base/text.h"
#include "launch/write/frameworks.h"

namespace spillway {
namespace {

// A pipeline of two ranks, or of one where the software has no others: a schedule means nothing on one rank.
std::string reason_for(const JobCluster& cluster, const ScheduleChoice& choice) {
  Experiment experiment = cluster.base;
  if (frameworks_of(experiment).empty())
    return "no launch is written for " + on_platform(experiment.costs)->framework.name;
  const std::uint32_t ranks = cluster.splits && experiment.model.layer_count() > 1 ? 2 : 1;
  experiment.pipeline = {ranks, 2 * ranks, 1};
  const auto schedule = schedule_of(choice, experiment.model, experiment.pipeline);
  if (!schedule) return "";
  const auto job = launch_job(experiment, *schedule);
  const auto* reasons = std::get_if<LaunchReasons>(&job);
  return reasons ? joined(*reasons, "; ") : "";
}

}  // namespace

LaunchCheck::LaunchCheck(const PlanJob& job, StageLayers& layers) : job_(job), layers_(layers) {
  for (std::size_t cluster = 0; cluster < job.clusters.size(); ++cluster)
    for (std::size_t schedule = 0; schedule < job.search.schedules.size(); ++schedule)
      of_all_[{cluster, schedule}] = reason_for(job.clusters[cluster], job.search.schedules[schedule]);
}

const std::string& LaunchCheck::reason_of_all(const PlanLayout& layout) const {
  return of_all_.at({layout.cluster, layout.schedule});
}

std::string LaunchCheck::reason(const PlanLayout& layout) {
  if (const std::string& all = reason_of_all(layout); !all.empty()) return all;
  const Experiment experiment = layers_.experiment_of(layout);
  return launch_offer(experiment, experiment.schedules.front()).reason;
}

}  // namespace spillway
