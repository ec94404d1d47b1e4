#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "json/json_text.h"
#include "law_list.h"
#include "sweep/run/workers.h"

namespace spillway::testing {
namespace {

// Returns a point's outcome, or its refusal: its draws may lose most of their samples, or no number may fit.
PointOutcome outcome_or_refusal(const Experiment& experiment, Caches& caches) {
  try {
    return evaluate_point(experiment, caches);
  } catch (const InputError& refused) {
    return {.refusal = refused.what()};
  } catch (const Infeasible& refused) {
    return {.refusal = refused.what()};
  }
}

// Evaluates the job under other draws, as points of a sweep.
std::vector<std::string> points_in_threads(const Case& one, unsigned jobs) {
  Caches caches;
  const auto compute = [&](std::size_t point) {
    Experiment experiment = one.experiment();
    experiment.seed += point / 2;  // every point twice, so that two threads want the same
    return outcome_or_refusal(experiment, caches);
  };
  std::vector<std::string> bytes(4);
  compute_in_threads({0, 1, 2, 3}, jobs, compute, [&](std::vector<FinishedPoint> finished) {
    for (const FinishedPoint& point : finished) bytes[point.point] = bytes_of(point.outcome);
  });
  return bytes;
}

}  // namespace

Verdict a_point_is_a_run(const Case& one) {
  const Evaluation run = evaluate(one.experiment(), {.run = {Engine::LongestPath}});
  for (std::size_t s = 0; s < run.schedules.size(); ++s) {
    std::vector<StepFigures> steps;
    for (const DrawResult& draw : run.schedules[s].draws) steps.push_back(draw.step);
    const ScheduleOutcome ran = outcome_of(run.schedules[s].name, steps), &point = one.outcome().schedules[s];
    if (point.makespans != ran.makespans || point.figures != ran.figures || point.spills != ran.spills)
      return broken(ran.name + ": first draw: point " + text(point.makespans.front()) + ", run " +
                    text(ran.makespans.front()) + ", or a figure of a draw");
  }
  return kHolds;
}

Verdict printed_and_read_again(const Case& one) {
  const std::string& document = one.job().document;
  for (const std::string& again :
       {with_settings(document, "job.json", {}), nlohmann::json::parse(document).dump(2)})
    if (outcome_of(experiment_of(again)) != one.outcome()) return broken("read again it is another job");
  return kHolds;
}

Verdict threads_change_nothing(const Case& one) {
  return points_in_threads(one, 1) == points_in_threads(one, 2) ? kHolds
                                                                : broken("two threads say something else");
}

// A plan is made while the previous step runs, and a number is fitted to the mean of all draws: both are left
// out.
Verdict a_draw_knows_no_other(const Case& one) {
  Experiment alone = one.experiment();
  alone.fits.clear();
  for (ScheduleSpec& schedule : alone.schedules) schedule.planning = Seconds();
  Experiment longer = alone;
  longer.draws += 2;
  Caches caches;
  const PointOutcome more = outcome_or_refusal(longer, caches);
  return more.refusal.empty() ? same_makespans(outcome_of(alone), more, Held::Exactly) : kSaysNothing;
}

// A step waits for the part of its planning that exceeds the previous step. The last step precedes the first.
Verdict a_step_waits_for_its_plan(const Case& one) {
  Experiment bare = one.experiment();
  bare.fits.clear();
  for (ScheduleSpec& schedule : bare.schedules) schedule.planning = Seconds();
  Experiment planned = one.experiment();
  planned.fits.clear();
  const PointOutcome without = outcome_of(bare), with = outcome_of(planned);
  bool said = false;
  for (std::size_t s = 0; s < without.schedules.size(); ++s) {
    const ScheduleSpec& schedule = one.experiment().schedules[s];
    const std::vector<Seconds>& steps = without.schedules[s].makespans;
    const bool waits = schedule.planning > Seconds() && plans_each_step(one.experiment(), schedule);
    said = said || waits;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Seconds before = steps[(i + steps.size() - 1) % steps.size()];
      const Seconds due = steps[i] + (waits ? std::max(Seconds(), schedule.planning - before) : Seconds());
      if (!equal(with.schedules[s].makespans[i], due))
        return broken(schedule.name + ", draw " + std::to_string(i) + ": " +
                      text(with.schedules[s].makespans[i]) + " for " + text(due));
    }
  }
  return said ? kHolds : kSaysNothing;
}

}  // namespace spillway::testing
