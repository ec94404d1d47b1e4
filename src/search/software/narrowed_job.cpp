// Test: tests/search/frameworks_test.cpp.
#include "search/software/narrowed_job.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/content_digest.h"

namespace spillway {
namespace {

std::string frameworks_of_clusters(const PlanJob& job) {
  std::vector<std::string> names;
  for (const JobCluster& cluster : job.clusters)
    for (const std::string& name : framework_names(cluster))
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names.empty() ? "none, since its clusters are planned without software"
                       : "one of the frameworks of its clusters: " + joined(names);
}

}  // namespace

PlanJob narrowed_to(PlanJob job, const std::string& framework) {
  std::vector<JobCluster> kept;
  std::set<std::size_t> running;
  for (const JobCluster& cluster : job.clusters) {
    if (!runs_framework(cluster, framework)) continue;
    running.insert(cluster.stated);
    kept.push_back(cluster);
  }
  if (kept.empty())
    throw InputError({{"command line", "--framework", frameworks_of_clusters(job), '"' + framework + '"'}});
  for (const JobCluster& cluster : job.clusters)
    if (is_first_as_stated(job, cluster) && !running.contains(cluster.stated))
      job.left_out.push_back(cluster.platform().name + " is left out, since " + framework +
                             " is not among its frameworks");
  for (const JobCluster& cluster : job.clusters)
    if (running.contains(cluster.stated) && !cluster.is_bound && !runs_framework(cluster, framework))
      job.other_frameworks.push_back(cluster);
  job.clusters = std::move(kept);
  job.identity = to_string(digest_of(job.identity + '\n' + framework));
  return job;
}

PlanJob with_other_frameworks(PlanJob job) {
  for (JobCluster& cluster : std::exchange(job.other_frameworks, {}))
    job.clusters.push_back(std::move(cluster));
  return job;
}

std::vector<std::string> framework_names(const JobCluster& cluster) {
  if (cluster.framework.empty()) return {};
  std::vector<std::string> names = {cluster.framework};
  names.insert(names.end(), cluster.alike.begin(), cluster.alike.end());
  return names;
}

bool runs_framework(const JobCluster& cluster, const std::string& framework) {
  const std::vector<std::string> names = framework_names(cluster);
  return std::ranges::find(names, framework) != names.end();
}

bool is_first_as_stated(const PlanJob& job, const JobCluster& cluster) {
  const auto first = std::ranges::find(job.clusters, cluster.stated, &JobCluster::stated);
  return &*first == &cluster;
}

}  // namespace spillway
