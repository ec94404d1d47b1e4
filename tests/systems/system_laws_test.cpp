// Laws of every system on any job: the work is the model's, the engines agree, and no step beats its bounds.
#include <gtest/gtest.h>

#include <map>

#include "evaluate/evaluate.h"
#include "evaluate/point.h"
#include "random_job.h"
#include "support/long_property.h"

namespace spillway {
namespace {

using testing::SystemTestJob;

constexpr Engines kAll{.run = {Engine::LongestPath, Engine::MaxPlus, Engine::SimGrid}};

void hold_near(Seconds a, Seconds b) {
  RC_ASSERT(std::abs((a - b).value()) <= 1e-9 * std::max(a, b).value());
}

// The number of forwards and of backwards (of the input's half or whole), by layer and microbatch.
using Passes = std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<int, int>>;

Passes passes_of(const Derived& derived) {
  Passes all;
  for (const Event& event : derived.order.events()) {
    if (!event.computes()) continue;
    const LayerRange layers = derived.stage(event.stage).layers;
    for (std::uint32_t layer = layers.first; layer < layers.end; ++layer) {
      auto& [forwards, backwards] = all[{layer, event.microbatch.index()}];
      ++(event.runs_forward() ? forwards : backwards);
    }
  }
  return all;
}

void no_work_is_lost_or_doubled(const SystemTestJob& job, const Derived& derived) {
  const Passes passes = passes_of(derived);
  const std::uint32_t layers = job.encoder + job.backbone + job.generator;
  RC_ASSERT(passes.size() == std::size_t{layers} * job.microbatches);
  for (const auto& [at, count] : passes) {
    // A frozen encoder at the input runs no backward.
    RC_ASSERT(count.first == 1);
    const bool in_frozen = !job.trained && at.first < job.encoder;
    if (in_frozen && derived.regions.size() > 1 && derived.regions[0].layers.end == job.encoder)
      RC_ASSERT(count.second == 0);
    else if (!in_frozen)
      RC_ASSERT(count.second == 1);
  }
}

// The bounds are the computing time of each rank and the sum of each microbatch's passes.
void no_step_beats_its_bounds(const ScheduleResult& schedule) {
  const Derived& derived = *schedule.derived;
  const Durations& durations = schedule.first.durations;
  std::map<std::uint32_t, Seconds> busy, ways;
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    if (!event.computes()) continue;
    for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane) {
      busy[lane * 64 + event.rank.index()] += durations.at(EventId(id), lane);
      if (event.kind != EventKind::BackwardWeight)
        ways[lane * 1024 + event.microbatch.index()] += durations.at(EventId(id), lane);
    }
  }
  const Seconds makespan = *schedule.draws.front().makespans[Engine::LongestPath] * (1 + 1e-9);
  for (const auto& [rank, time] : busy) RC_ASSERT(time <= makespan);
  for (const auto& [microbatch, time] : ways) RC_ASSERT(time <= makespan);
}

SPILLWAY_LONG_PROP(Systems, EveryStepIsWholeAndTheEnginesAgree, 100) {
  const SystemTestJob job = *testing::random_system_job();
  const Evaluation evaluation = evaluate(job.under(job.every_system()), kAll);
  RC_ASSERT(job.generator > 0 || evaluation.schedules.size() == systems().size());
  for (const ScheduleResult& schedule : evaluation.schedules) {
    RC_ASSERT(!schedule.assumptions.empty() && schedule.system == schedule.name);
    no_work_is_lost_or_doubled(job, *schedule.derived);
    no_step_beats_its_bounds(schedule);
    for (const DrawResult& draw : schedule.draws) {
      hold_near(*draw.makespans[Engine::LongestPath], *draw.makespans[Engine::MaxPlus]);
      hold_near(*draw.makespans[Engine::LongestPath], *draw.makespans[Engine::SimGrid]);
    }
  }
}

// A point of a sweep gives the same steps as a run, also for systems.
SPILLWAY_LONG_PROP(Systems, APointOfASweepSaysWhatARunSays, 100) {
  const SystemTestJob job = *testing::random_system_job();
  const Experiment experiment = job.under(job.every_system());
  const Evaluation evaluation = evaluate(experiment, {.run = {Engine::LongestPath}});
  Caches caches;
  const PointOutcome point = evaluate_point(experiment, caches);
  for (std::size_t s = 0; s < evaluation.schedules.size(); ++s)
    for (std::size_t draw = 0; draw < evaluation.schedules[s].draws.size(); ++draw)
      RC_ASSERT(point.schedules[s].makespans[draw] == evaluation.schedules[s].draws[draw].step.makespan);
}

}  // namespace
}  // namespace spillway
