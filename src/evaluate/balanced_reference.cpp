#include "evaluate/balanced_reference.h"

#include <algorithm>

#include "experiment/derive_options.h"

namespace spillway {
namespace {

constexpr SkeletonKind kSimplest = SkeletonKind::OneFOneB;

// Returns the pipelined regions, interleaved as they are.
Schedule body_of(const ScheduleSpec& spec) {
  if (const std::uint32_t segments = spec.segments.segments(); segments > 0)
    return {std::vector(segments, Skeleton(kSimplest))};
  const Schedule& schedule = spec.schedule;
  const std::vector<ShardedRun> runs = sharded_runs(schedule);
  if (runs.size() != 1 || is_listed(runs.front().skeleton)) return {{kSimplest}};
  const auto& [first, end, skeleton] = runs.front();
  const std::size_t fronts = spec.modules.empty() ? 0 : spec.modules.size() - 1;  // a region each
  return {std::vector(end - first - fronts, skeleton)};
}

// Splits over all stages together, wherever the schedule's blocks end.
std::optional<ScheduleSpec> balanced(const Experiment& experiment, const Schedule& schedule) {
  const auto cut = cut_by_runs(experiment.model, schedule, {});
  if (!cut) return std::nullopt;
  ScheduleSpec spec{"balanced-" + to_string(schedule), schedule, *cut};
  spec.split = schedule.skeletons.size() > 1 ? StageSplit::Joint : StageSplit::Balanced;
  if (experiment.equal_terms && experiment.equal_terms->moves_samples && experiment.pipeline.replicas > 1)
    spec.regrouping.rule = Regrouping::Rule::Stratified;
  return spec;
}

bool is_derivable(const Experiment& experiment, const ScheduleSpec& spec) {
  return check_derive(experiment, spec).empty();
}

// Returns true if the speedup of the schedule says little by itself. Schedules that transpose regions, and
// those of systems, are compared with something better than the baseline that their experiment chose.
bool wants_a_reference(const ScheduleSpec& spec) {
  return transposes(spec.schedule) || !spec.system.empty();
}

// Returns the first that is equal except for its name.
std::optional<std::size_t> index_in(const std::vector<ScheduleSpec>& all, const ScheduleSpec& wanted) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const ScheduleSpec& one) {
    return one.schedule == wanted.schedule && one.split == wanted.split && one.order == wanted.order &&
           one.regrouping == wanted.regrouping;
  });
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

}  // namespace

std::optional<ScheduleSpec> balanced_beside(const Experiment& experiment, const ScheduleSpec& transposed) {
  for (const Schedule& schedule : {body_of(transposed), Schedule{{kSimplest}}})
    if (auto spec = balanced(experiment, schedule); spec && is_derivable(experiment, *spec)) return spec;
  return std::nullopt;
}

std::vector<ScheduleSpec> missing_references(const Experiment& experiment) {
  std::vector<ScheduleSpec> missing;
  for (const ScheduleSpec& schedule : experiment.schedules) {
    if (!wants_a_reference(schedule)) continue;
    std::optional<ScheduleSpec> wanted = balanced_beside(experiment, schedule);
    if (wanted && !index_in(experiment.schedules, *wanted) && !index_in(missing, *wanted))
      missing.push_back(*std::move(wanted));
  }
  return missing;
}

std::optional<Beside> beside(const Experiment& experiment, const ScheduleSpec& schedule,
                             const std::vector<ScheduleSpec>& missing) {
  if (!wants_a_reference(schedule)) return std::nullopt;
  const std::optional<ScheduleSpec> wanted = balanced_beside(experiment, schedule);
  if (!wanted) return std::nullopt;
  if (const auto index = index_in(experiment.schedules, *wanted)) return Beside{false, *index};
  const auto index = index_in(missing, *wanted);
  return index ? std::optional(Beside{true, *index}) : std::nullopt;
}

}  // namespace spillway
