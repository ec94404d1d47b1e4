// Samples move only where each system's authors let them move.
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "documents.h"
#include "draws/costs.h"
#include "draws/regrouped_draws.h"
#include "law_list.h"

namespace spillway::testing {
namespace {

// Microbatches of equal groups share their samples.
using Group = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

Group group_of(const Json& entry, Regrouping::Rule rule, const Pipeline& job, std::uint32_t replica,
               std::uint32_t microbatch) {
  const std::string system = entry.value("system", "");
  const auto [ranks, microbatches, replicas] = job;
  if (system == "megascale-omni") return {replica / entry.value("group_replicas", replicas), 0, 0};
  if (system == "orchmllm") return {0, microbatch, 0};
  if (rule != Regrouping::Rule::Pooled) return {0, 0, 0};
  // A rank encodes every P-th microbatch, and `at_once` of them together.
  const std::uint32_t at_once = entry.value("macro_batch", (microbatches + ranks - 1) / ranks);
  return {replica, microbatch % ranks, microbatch / ranks / at_once};
}

std::map<Group, std::uint64_t> patches_by_group(const Draw& draw, const Json& entry, Regrouping::Rule rule,
                                                const Pipeline& job) {
  std::map<Group, std::uint64_t> all;
  for (std::uint32_t replica = 0; replica < job.replicas; ++replica)
    for (std::uint32_t m = 0; m < job.microbatches; ++m)
      for (const MediaItem& item : draw[replica][m].media)
        all[group_of(entry, rule, job, replica, m)] += item.patches;
  return all;
}

}  // namespace

Verdict samples_stay_in_their_groups(const Case& one) {
  const Experiment& job = one.experiment();
  const Json schedules = Json::parse(one.job().document)["schedules"];
  bool said = false;
  for (const PlacedWorkload& workload : workloads(job)) {
    if (workload.spec.packing == Packing::TextOnly) continue;
    const Draw drawn = sample(workload.spec, {job.pipeline.microbatches, job.pipeline.replicas, job.seed, 0});
    for (std::size_t s = 0; s < job.schedules.size(); ++s) {
      const Regrouping& rule = job.schedules[s].regrouping;
      if (rule.rule == Regrouping::Rule::AsDrawn) continue;
      said = true;
      const Draw moved = regrouped_draw(rule, drawn, workload.spec.packing).loads;
      if (patches_by_group(moved, schedules[s], rule.rule, job.pipeline) !=
          patches_by_group(drawn, schedules[s], rule.rule, job.pipeline))
        return broken(job.schedules[s].name + ": images leave the group that shares them");
    }
  }
  return said ? kHolds : kSaysNothing;
}

}  // namespace spillway::testing
