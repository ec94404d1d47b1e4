#include "plan/layout_evaluator.h"

#include <new>

#include "base/error.h"
#include "experiment/fold.h"

namespace spillway {
namespace {

bool differ_in_schedule_alone(PlanLayout one, const PlanLayout& other) {
  one.schedule = other.schedule;
  return one == other;
}

}  // namespace

LayoutEvaluator::Worker& LayoutEvaluator::worker() {
  const std::lock_guard lock(mutex_);
  return workers_[std::this_thread::get_id()];
}

PointOutcome LayoutEvaluator::operator()(std::size_t layout) {
  Worker& here = worker();
  try {
    Experiment experiment = layers_.experiment_of(layouts_[layout]);
    if (here.costs && differ_in_schedule_alone(here.last, layouts_[layout]))
      here.costs->set_schedules(std::move(experiment.schedules));
    else
      here.costs.emplace(folded(std::move(experiment), Links::Own), &caches_.samples);
    here.last = layouts_[layout];
    return evaluate_point(*here.costs, caches_.orders);
  } catch (const InputError& bad) {
    return {.refusal = bad.what()};
  } catch (const Infeasible& none) {
    return {.refusal = none.what()};
  } catch (const std::bad_alloc&) {
    return {.refusal = "more memory than the machine that computed it would give"};
  }
}

}  // namespace spillway
