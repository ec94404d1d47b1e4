#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "law_list.h"
#include "timing/attribution.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

bool equal_or_later(Seconds a, Seconds b) {
  return a >= b || equal(a, b);
}

Seconds sum(const ScheduleResult& schedule, Engine engine) {
  Seconds all;
  for (const DrawResult& draw : schedule.draws) all += *draw.makespans[engine];
  return all;
}

// Broken, with the makespans of the draw, if `holds` is false for a draw.
template <class Holds>
Verdict of_every_draw(const Evaluation& evaluation, Holds holds) {
  for (const ScheduleResult& schedule : evaluation.schedules) {
    for (std::size_t draw = 0; draw < schedule.draws.size(); ++draw) {
      const DrawResult& one = schedule.draws[draw];
      if (holds(schedule, one)) continue;
      return broken(schedule.name + ", draw " + std::to_string(draw) + ": longest path " +
                    text(*one.makespans[Engine::LongestPath]) + ", (max,+) " +
                    text(*one.makespans[Engine::MaxPlus]) + ", SimGrid " +
                    text(*one.makespans[Engine::SimGrid]));
    }
  }
  return kHolds;
}

// Returns whether a microbatch's events of this kind follow each other: its forwards and its input gradients.
bool in_chain(EventKind kind) {
  return kind == EventKind::Forward || kind == EventKind::Backward || kind == EventKind::BackwardInput;
}

// Returns the time that each rank computes, replica by replica, rank by rank.
std::vector<Seconds> busy_by_row(const Derived& derived, const Durations& durations) {
  std::vector<Seconds> rows(std::size_t{derived.pipeline.ranks} * durations.lanes());
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    if (!event.computes()) continue;
    for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane)
      rows[lane * derived.pipeline.ranks + event.rank.index()] += durations.at(EventId(id), lane);
  }
  return rows;
}

// Returns the total time of the events that a microbatch passes one after the other, by replica and
// microbatch. Several inputs may run at once, so the longest counts, forward and backward. Encodes for the
// next step come after the microbatch.
std::vector<Seconds> ways_of_microbatches(const Derived& derived, const Durations& durations) {
  std::vector<Seconds> ways(std::size_t{derived.pipeline.microbatches} * durations.lanes());
  std::vector<std::vector<Seconds>> inputs(2 * derived.inputs(), ways);  // by input and direction
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    if (!in_chain(event.kind)) continue;
    const std::size_t input = 2 * std::size_t{derived.stage(event.stage).region.index()};
    std::vector<Seconds>& own =
        derived.is_input(event.stage) ? inputs[input + (event.runs_forward() ? 0 : 1)] : ways;
    for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane)
      own[lane * derived.pipeline.microbatches + event.microbatch.index()] += durations.at(EventId(id), lane);
  }
  for (std::size_t way = 0; way < ways.size(); ++way) {
    Seconds forward, backward;
    for (std::size_t input = 0; input < inputs.size(); input += 2) {
      if (!derived.input.prefetched) forward = std::max(forward, inputs[input][way]);
      backward = std::max(backward, inputs[input + 1][way]);
    }
    ways[way] += forward + backward;
  }
  return ways;
}

}  // namespace

Verdict engines_agree(const Case& one) {
  return of_every_draw(one.evaluation(), [](const ScheduleResult&, const DrawResult& draw) {
    return equal(*draw.makespans[Engine::LongestPath], *draw.makespans[Engine::MaxPlus]);
  });
}

// Behind a longer step, the next waits less for its plan. So steps that wait for plans are compared by their
// sum.
Verdict simgrid_is_never_earlier(const Case& one) {
  for (const ScheduleResult& schedule : one.evaluation().schedules)
    if (!equal_or_later(sum(schedule, Engine::SimGrid), sum(schedule, Engine::LongestPath)))
      return broken(schedule.name + ": its draws sum to less by SimGrid than by the longest path");
  return of_every_draw(one.evaluation(), [](const ScheduleResult& schedule, const DrawResult& draw) {
    return schedule.planning > Seconds() ||
           equal_or_later(*draw.makespans[Engine::SimGrid], *draw.makespans[Engine::LongestPath]);
  });
}

Verdict nothing_shared_is_replayed_alike(const Case& one) {
  if (!one.is_given()) return kSaysNothing;
  return of_every_draw(one.evaluation(), [](const ScheduleResult&, const DrawResult& draw) {
    return equal(*draw.makespans[Engine::LongestPath], *draw.makespans[Engine::SimGrid]);
  });
}

// The rows are summed as `explain` does: by the longest path, which planning does not delay.
Verdict rows_sum_to_the_makespan(const Case& one) {
  for (const ScheduleResult& schedule : one.evaluation().schedules) {
    const Derived& derived = *schedule.derived;
    const Timeline timeline = LongestPath(derived.order).timeline(schedule.first.durations);
    const Seconds makespan = timeline.makespan();
    const CriticalPathShares& path = schedule.draws.front().critical_path;
    if (!equal(path.total() - path.planning, makespan))
      return broken(schedule.name + ": the critical path sums to " + text(path.total() - path.planning) +
                    " of " + text(makespan));
    const std::vector<Seconds> busy = busy_by_row(derived, schedule.first.durations);
    const std::vector<BubbleCauses> causes = bubble_causes(derived, timeline);
    for (std::size_t row = 0; row < causes.size(); ++row) {
      const Seconds sum = busy[row] + causes[row].total();
      if (!equal(sum, makespan))
        return broken(schedule.name + ", row " + std::to_string(row) + ": sums to " + text(sum) + " of " +
                      text(makespan));
    }
  }
  return kHolds;
}

Verdict no_rank_idles_less_than_not_at_all(const Case& one) {
  for (const ScheduleResult& schedule : one.evaluation().schedules) {
    for (const DrawResult& draw : schedule.draws) {
      for (const RankFigures& rank : draw.ranks) {
        const Seconds idle = draw.step.makespan + rank.idle,
                      bubble = draw.step.makespan + rank.bubble;  // rounded in the same way
        const bool within = (rank.idle >= Seconds() || equal(idle, draw.step.makespan)) &&
                            (rank.idle <= rank.bubble || equal(idle, bubble));
        if (!within)
          return broken(schedule.name + ", rank " + std::to_string(rank.rank.index()) + ": idle for " +
                        text(rank.idle) + " of a bubble of " + text(rank.bubble));
      }
    }
  }
  return kHolds;
}

Verdict no_step_beats_its_bound(const Case& one) {
  for (const ScheduleResult& schedule : one.evaluation().schedules) {
    const std::vector<Seconds> busy = busy_by_row(*schedule.derived, schedule.first.durations);
    const std::vector<Seconds> ways = ways_of_microbatches(*schedule.derived, schedule.first.durations);
    const Seconds least =
        std::max(*std::max_element(busy.begin(), busy.end()), *std::max_element(ways.begin(), ways.end()));
    const Seconds makespan = *schedule.draws.front().makespans[Engine::LongestPath];
    if (makespan < least && !equal(makespan, least))
      return broken(schedule.name + ": " + text(makespan) + ", at least " + text(least));
    for (const DrawResult& draw : schedule.draws)
      for (const Seconds step : {*draw.makespans[Engine::LongestPath], draw.step.makespan})
        if (step < draw.bound->step && !equal(step, draw.bound->step))
          return broken(schedule.name + ": " + text(step) + ", no order below " + text(draw.bound->step));
    if (const Seconds bound = schedule.draws.front().bound->step; bound < least && !equal(bound, least))
      return broken(schedule.name + ": the bound " + text(bound) + " is below " + text(least));
  }
  return kHolds;
}

// The law is checked on one draw without hosts, collectives, copies to hosts and measured optimizers, which
// run behind the passes. Where devices share images, those with fewer wait, and so do replicas that experts
// span; no operator takes that time.
Verdict operators_are_all_that_ranks_compute(const Case& one) {
  if (one.is_given()) return kSaysNothing;
  Experiment bare = one.experiment();
  AnalyticCosts& costs = std::get<AnalyticExperiment>(bare.costs).costs;
  const double members =
      static_cast<double>(costs.parallelism.tensor) * static_cast<double>(costs.parallelism.context);
  if (members > 1 && costs.blocks.size() > 1) return kSaysNothing;
  if (std::ranges::any_of(joined_replicas(costs), [](std::uint32_t joined) { return joined > 1; }))
    return kSaysNothing;
  bare.what_if = {};
  bare.fits.clear();  // a fit reaches its target with hosts and collectives
  costs.what_if_inner_collective_time = 0;
  costs.platform.accelerator.host_overhead.value = Seconds();
  costs.framework.launch.reset();
  for (BlockCosts& block : costs.blocks) block.offload = {};  // a pass may wait for copies to the host
  if (costs.measured) {
    PassTable passes = *costs.measured;
    passes.updates.clear();
    costs.measured = std::make_shared<const PassTable>(std::move(passes));
  }
  bare.draws = 1;
  const Evaluation evaluation = evaluate(bare, {.run = {Engine::LongestPath}});
  for (const ScheduleResult& schedule : evaluation.schedules) {
    if (schedule.first.operators.empty() || !schedule.derived->modules.empty()) continue;
    Seconds computed, listed;
    for (const Seconds row : busy_by_row(*schedule.derived, schedule.first.durations))
      computed += members * schedule.equal_replicas * row;
    for (const PricedOperator& priced : schedule.first.operators) listed += priced.time;
    if (!equal(computed, listed))
      return broken(schedule.name + ": " + text(listed) + " listed of " + text(computed));
  }
  return kHolds;
}

}  // namespace spillway::testing
