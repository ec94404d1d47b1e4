#include "search/layout_evaluator.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "draws/fold.h"
#include "evaluate/memory_limit.h"
#include "search/plan_value.h"
#include "sweep/run/refused_point.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

// In the schedule alone; or in recomputation and the sharding of states, too; or in more.
enum class Likeness : std::uint8_t { InPrices, InOperators, None };

Likeness likeness(PlanLayout one, const PlanLayout& other) {
  one.schedule = other.schedule;
  if (one == other) return Likeness::InPrices;
  one.recompute = other.recompute;
  one.data = other.data;
  return one == other ? Likeness::InOperators : Likeness::None;
}

}  // namespace

// Takes the most alike of the idle workplaces; nothing if all differ in more.
std::unique_ptr<LayoutEvaluator::Workplace> LayoutEvaluator::take_idle(const PlanLayout& layout) {
  const std::lock_guard lock(mutex_);
  const auto from = [&](const auto& workplace) { return likeness(workplace->last, layout); };
  const auto chosen = std::ranges::min_element(idle_, {}, from);
  if (chosen == idle_.end() || from(*chosen) == Likeness::None) return nullptr;
  std::unique_ptr<Workplace> workplace = std::move(*chosen);
  idle_.erase(chosen);
  return workplace;
}

// Returns a workplace with the prices of this layout.
std::unique_ptr<LayoutEvaluator::Workplace> LayoutEvaluator::workplace_for(const PlanLayout& layout) {
  std::unique_ptr<Workplace> workplace = take_idle(layout);
  Experiment experiment = layers_.experiment_of(layout);
  if (workplace && likeness(workplace->last, layout) == Likeness::InPrices) {
    workplace->costs.set_schedules(std::move(experiment.schedules));
  } else {
    experiment = folded(std::move(experiment), Links::Own);
    if (workplace && workplace->costs.experiment().pipeline == experiment.pipeline)
      workplace->costs.lay_again(experiment);
    else
      workplace.reset(new Workplace{layout, DrawCosts(experiment, &caches_.samples)});
  }
  workplace->last = layout;
  return workplace;
}

void LayoutEvaluator::put_back(std::unique_ptr<Workplace> workplace) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(workplace));
  if (idle_.size() > kMostIdle) idle_.erase(idle_.begin());
}

PointOutcome LayoutEvaluator::timed_where_it_fits(DrawCosts& costs, const PlanLayout& layout) {
  const auto planned = planned_for_all_draws(costs, caches_.orders);
  const auto usable = usable_memory(job_, job_.clusters[layout.cluster]);
  const auto held = planned && usable ? misfit(costs, *planned, *usable) : std::nullopt;
  if (!held)
    return warned_point(costs, caches_.orders, {.planned = planned ? &*planned : nullptr, .evidence = false});
  return {.refusal = "",
          .schedules = {{.name = costs.experiment().schedules.front().name, .peak_memory = held}},
          .memory_limit = memory_limit(costs.experiment())->bytes};
}

PointOutcome LayoutEvaluator::operator()(std::size_t index) {
  const PlanLayout& layout = layouts_[index];
  return outcome_or_refusal([&] {
    std::unique_ptr<Workplace> workplace = workplace_for(layout);
    PointOutcome outcome = timed_where_it_fits(workplace->costs, layout);
    put_back(std::move(workplace));
    return outcome;
  });
}

}  // namespace spillway
