#include "search/known_error.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "search/job.h"

namespace spillway {
namespace {

bool has_images(const JobCluster& cluster) {
  return std::ranges::any_of(cluster.base.model.blocks(),
                             [](const Block& block) { return block.role == Role::Encoder; });
}

bool has_experts(const JobCluster& cluster) {
  return std::ranges::any_of(cluster.analytic().costs.blocks,
                             [](const BlockCosts& block) { return routed_experts(block.architecture) > 0; });
}

std::string_view maker(std::string_view accelerator) {
  return accelerator.substr(0, accelerator.find(' '));
}

int nearness(const KnownError& known, const JobCluster& cluster) {
  const std::string_view accelerator = cluster.platform().accelerator.name;
  return 8 * (known.images == has_images(cluster)) + 4 * (known.experts == has_experts(cluster)) +
         2 * accelerator.starts_with(known.accelerator) + (maker(accelerator) == maker(known.accelerator));
}

}  // namespace

const KnownError& layout_error(const PlanJob& job, const JobCluster& cluster) {
  const std::vector<KnownError>& all = job.known_errors.between_layouts;
  const std::string_view accelerator = cluster.platform().accelerator.name;
  const auto own = std::ranges::find_if(
      all, [&](const KnownError& known) { return accelerator.starts_with(known.accelerator); });
  return own != all.end() ? *own : *std::ranges::max_element(all, {}, &KnownError::rows);
}

const KnownError& cluster_error(const PlanJob& job, const JobCluster& cluster) {
  return *std::ranges::max_element(
      job.known_errors.between_clusters, [&](const KnownError& a, const KnownError& b) {
        return std::pair(nearness(a, cluster), a.share) < std::pair(nearness(b, cluster), b.share);
      });
}

double margin(const PlanJob& job, const JobCluster& one, const JobCluster& other) {
  if (one.stated == other.stated) return layout_error(job, one).share;
  return std::max(cluster_error(job, one).share, cluster_error(job, other).share);
}

}  // namespace spillway
