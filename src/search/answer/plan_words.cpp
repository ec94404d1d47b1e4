#include "search/answer/plan_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/word_of.h"
#include "search/plan_choice.h"
#include "words/duration_text.h"
#include "words/wording.h"

namespace spillway {
namespace {

// The sentence of the framework that launches plan 1; without it, the first.
std::string own_reason(const LaunchOffer& launch, const std::string& reason) {
  const std::size_t own = reason.find(std::string(launch_writer(*launch.framework).title) + ": ");
  const std::size_t begin = own == std::string::npos ? 0 : own;
  return reason.substr(begin, reason.find(". ", begin) - begin);
}

}  // namespace

std::string grid_text(const PlanLayout& layout) {
  std::string text = fmt::format("P={} TP={}", layout.ranks, layout.tensor);
  if (layout.context > 1) text += fmt::format(" CP={}", layout.context);
  if (layout.expert > 1) text += fmt::format(" EP={}", layout.expert);
  return text + fmt::format(" R={}", layout.replicas);
}

std::string where_text(const PlanJob& job, const PlanLayout& layout) {
  const JobCluster& cluster = job.clusters[layout.cluster];
  return fmt::format("{} of {}{}", counted(layout.devices, "device"), cluster.platform().name,
                     cluster.framework.empty() ? "" : " under " + cluster.framework);
}

std::string launch_words(const LaunchOffer& offer) {
  return launch_writer(*offer.framework).software() + ", " + offer.launch->arguments;
}

std::string preference_words(const PlanJob& job, const PlanLayout& first, const LaunchOffer& launch,
                             const PlanLayout& other, const std::string& launch_reason,
                             std::string_view name) {
  if (launch.launch && !launch_reason.empty())
    return fmt::format("{} cannot be launched: {}", name, own_reason(launch, launch_reason));
  return is_simpler(job, first, other) ? "plan 1 is simpler" : "";
}

std::string options_text(const PlanJob& job, const PlanLayout& layout) {
  return fmt::format(
      "{} x {} {}, {}, recompute {}, {}", layout.microbatches, layout.microbatch,
      job.clusters.front().analytic().workload.packing == Packing::Unpacked ? "samples" : "sequences",
      job.search.schedules[layout.schedule].name, word_of(kRecomputes, layout.recompute),
      word_of(kDataParallels, layout.data));
}

std::string interval_text(Seconds step, const std::optional<StepInterval>& unknown) {
  if (!unknown) return "";
  const TimeUnit unit = unit_for(step);
  const auto end = [&](double share) { return number_text(step * share, unit, step); };
  return fmt::format(" [{}, {}]", end(unknown->low), end(unknown->high));
}

std::optional<double> headroom(const EvaluatedPlan& plan) {
  const auto& peak = plan.outcome.schedules.front().peak_memory;
  const auto& limit = plan.outcome.memory_limit;
  if (!peak || !limit) return std::nullopt;
  return 1 - *peak / *limit;
}

bool leaves_free(const PlanJob& job) {
  const auto platforms = [](const JobCluster& cluster) { return !cluster.base.memory_limit; };
  return job.limits.memory_headroom > 0 && std::ranges::any_of(job.clusters, platforms);
}

}  // namespace spillway
