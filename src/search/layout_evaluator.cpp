#include "search/layout_evaluator.h"

#include <algorithm>
#include <utility>

#include "draws/fold.h"
#include "evaluate/memory_limit.h"
#include "sweep/run/refused_point.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

bool differ_in_schedule_alone(PlanLayout one, const PlanLayout& other) {
  one.schedule = other.schedule;
  return one == other;
}

}  // namespace

// Takes a workplace whose last layout differs at most in the schedule, or else the one that has waited
// longest.
std::unique_ptr<LayoutEvaluator::Workplace> LayoutEvaluator::take_workplace(const PlanLayout& layout) {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return nullptr;
  auto chosen = std::ranges::find_if(
      idle_, [&](const auto& workplace) { return differ_in_schedule_alone(workplace->last, layout); });
  if (chosen == idle_.end()) chosen = idle_.begin();
  std::unique_ptr<Workplace> workplace = std::move(*chosen);
  idle_.erase(chosen);
  return workplace;
}

void LayoutEvaluator::put_back(std::unique_ptr<Workplace> workplace) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(workplace));
}

PointOutcome LayoutEvaluator::timed_where_it_fits(DrawCosts& costs) {
  const auto held = misfit(costs, caches_.orders);
  if (!held) return warned_point(costs, caches_.orders);
  return {.refusal = "",
          .schedules = {{.name = costs.experiment().schedules.front().name, .peak_memory = held}},
          .memory_limit = memory_limit(costs.experiment())->bytes};
}

PointOutcome LayoutEvaluator::operator()(std::size_t index) {
  const PlanLayout& layout = layouts_[index];
  return outcome_or_refusal([&] {
    std::unique_ptr<Workplace> workplace = take_workplace(layout);
    Experiment experiment = layers_.experiment_of(layout);
    if (workplace && differ_in_schedule_alone(workplace->last, layout))
      workplace->costs.set_schedules(std::move(experiment.schedules));
    else
      workplace.reset(
          new Workplace{layout, DrawCosts(folded(std::move(experiment), Links::Own), &caches_.samples)});
    workplace->last = layout;
    PointOutcome outcome = timed_where_it_fits(workplace->costs);
    put_back(std::move(workplace));
    return outcome;
  });
}

}  // namespace spillway
