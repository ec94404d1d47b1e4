// Test: tests/ask/asked_framework_test.cpp.
#include "ask/asked_framework.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "ask/layout_trial.h"
#include "launch/write/frameworks.h"
#include "launch/software/software.h"

namespace spillway {
namespace {

// The layout under one framework.
struct UnderFramework {
  std::size_t cluster;
  LayoutTrial trial;
  bool launches;

  // The least stands before the others.
  auto order() const {
    return std::tuple(!trial.is_known(), trial.fits == false, !launches, trial.is_known() ? trial.value : 0);
  }
};

UnderFramework under(LayoutTrials& trials, PlanLayout layout, std::size_t cluster) {
  layout.cluster = cluster;
  UnderFramework one{cluster, trials(layout), false};
  if (!one.trial.is_known()) return one;
  const Experiment experiment = trials.experiment_of(layout);
  one.launches = launch_offer(experiment, experiment.schedules.front()).launch.has_value();
  return one;
}

std::string reason_of_choice(const UnderFramework& chosen) {
  if (!chosen.trial.is_known()) return "the first of them, since it cannot be evaluated under any";
  std::string why = chosen.launches ? "the fastest of them that can launch it"
                                    : "the fastest of them, since none that could train it can launch it";
  return chosen.trial.fits == false ? why + "; it fits under none" : why;
}

// How well the cluster's framework agrees with a stated one.
enum class Agreement : std::uint8_t { None, PricesAlike, NameAlone, Whole };

Agreement agreement(const JobCluster& cluster, const Framework& own) {
  AnalyticCosts costs = cluster.analytic().costs;
  const bool named = costs.framework.name == own.name;
  costs.framework = own;
  const bool alike = price_alike(cluster.analytic().costs, costs);
  if (named) return alike ? Agreement::Whole : Agreement::NameAlone;
  return alike ? Agreement::PricesAlike : Agreement::None;
}

std::string name_or_none(const std::string& name) {
  return name.empty() ? "none" : name;
}

std::string note_of(Agreement agreed, const std::string& own, const std::string& jobs) {
  if (agreed == Agreement::PricesAlike)
    return fmt::format("its framework is {}, which prices every layout of the model as {} does",
                       name_or_none(own), name_or_none(jobs));
  if (agreed == Agreement::NameAlone)
    return fmt::format("its framework {} is stated with other values; the job's are used", name_or_none(own));
  return fmt::format("its framework is {}; the job's is used: {}", name_or_none(own), name_or_none(jobs));
}

}  // namespace

ChosenFramework choose_framework(const PlanJob& job, PlanLayout layout,
                                 const std::vector<std::size_t>& clusters) {
  LayoutTrials trials(job);
  std::vector<UnderFramework> all;
  for (const std::size_t cluster : clusters) all.push_back(under(trials, layout, cluster));
  const UnderFramework& chosen = *std::ranges::min_element(all, {}, &UnderFramework::order);
  const JobCluster& cluster = job.clusters[chosen.cluster];
  return {chosen.cluster, fmt::format("of {} frameworks on {} it is explained under {}, {}", all.size(),
                                      cluster.platform().name, cluster.framework, reason_of_choice(chosen))};
}

void take_own_framework(AskedLayout& asked, const Framework& own, const std::vector<std::size_t>& clusters) {
  const auto agreed = [&](std::size_t cluster) { return agreement(asked.job.clusters[cluster], own); };
  const std::size_t best = *std::ranges::max_element(clusters, {}, agreed);
  asked.layout.cluster = best;
  if (agreed(best) == Agreement::Whole) return;
  const std::string& jobs = asked.job.clusters[best].analytic().costs.framework.name;
  if (agreed(best) != Agreement::None || clusters.size() == 1)
    return asked.notes.push_back(note_of(agreed(best), own.name, jobs));
  ChosenFramework chosen = choose_framework(asked.job, asked.layout, clusters);
  asked.layout.cluster = chosen.cluster;
  asked.notes.push_back(fmt::format("its framework is {}, which the cluster does not have; {}",
                                    name_or_none(own.name), chosen.why));
}

std::vector<std::size_t> clusters_alike(const PlanJob& job, std::size_t cluster) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < job.clusters.size(); ++i)
    if (job.clusters[i].stated == job.clusters[cluster].stated && !job.clusters[i].is_bound) all.push_back(i);
  return all;
}

}  // namespace spillway
