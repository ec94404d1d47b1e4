#include "search/nearest.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "memory/memory_text.h"

namespace spillway {

void NearestLayouts::add(const Misfit& one) {
  if (!misfit || one.beyond < misfit->beyond) misfit = one;
}

void NearestLayouts::add(const BrokenLimit& one) {
  if (!limit || one.second < limit->second) limit = one;
}

void NearestLayouts::add_refused(const std::string& one) {
  if (refused++ == 0) first_refused = one;
}

void NearestLayouts::add_unlaunchable(const std::string& one) {
  if (unlaunchable++ == 0) first_unlaunchable = one;
}

void NearestLayouts::add(const NearestLayouts& others) {
  if (others.misfit) add(*others.misfit);
  if (others.limit) add(*others.limit);
  if (refused == 0) first_refused = others.first_refused;
  if (unlaunchable == 0) first_unlaunchable = others.first_unlaunchable;
  refused += others.refused;
  unlaunchable += others.unlaunchable;
}

std::string layout_name(const PlanJob& job, const PlanLayout& layout) {
  const JobCluster& cluster = job.clusters[layout.cluster];
  return fmt::format("{}{} with {}, P={} TP={} CP={} EP={}, {}", cluster.platform().name,
                     cluster.framework.empty() ? "" : " under " + cluster.framework,
                     counted(layout.devices, "device"), layout.ranks, layout.tensor, layout.context,
                     layout.expert, job.search.schedules[layout.schedule].name);
}

namespace {

bool leaves_muon_nothing(const PlanJob& job) {
  const OptimizerStates& states = job.clusters.front().analytic().costs.parallelism.states;
  return job.search.data &&
         std::ranges::none_of(*job.search.data, [&](DataParallel data) { return updates(states, data); });
}

}  // namespace

std::string refusal_of(const PlanJob& job, const NearestLayouts& layouts) {
  std::string why;
  if (layouts.limit)
    why = "no plan keeps within the limits: the nearest takes " + layouts.limit->first;
  else if (layouts.misfit)
    why = fmt::format("no plan fits: the nearest, {}, needs at least {}, {} more than a device may use",
                      layout_name(job, layouts.misfit->layout), bytes_text(layouts.misfit->memory),
                      bytes_text(layouts.misfit->beyond));
  if (layouts.refused > 0) {
    const std::string refused = fmt::format("{} cannot be evaluated, the first, {}",
                                            counted(layouts.refused, "layout"), layouts.first_refused);
    return why.empty() ? "no plan: " + refused : why + "; " + refused;
  }
  if (!why.empty()) return why;
  if (layouts.unlaunchable > 0)
    return fmt::format("no plan can be launched: {} left out, the first, {}",
                       counted(layouts.unlaunchable, "layout"), layouts.first_unlaunchable);
  if (leaves_muon_nothing(job))
    return "no layout is legal: Muon takes whole matrices, and search.data has neither plain nor zero1";
  return "no layout is legal: no number of ranks, tensor-, context- and expert-parallel devices divides "
         "the devices, the model and the batch";
}

}  // namespace spillway
