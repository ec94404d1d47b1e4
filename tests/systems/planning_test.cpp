// Planning of each step: a step is charged for the stated time that the previous step does not hide.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "evaluate/evaluate.h"
#include "evaluate/point.h"
#include "random_job.h"
#include "support/engines.h"
#include "support/long_property.h"
#include "support/property.h"
#include "timing/planning_wait.h"

namespace spillway {
namespace {

using testing::SystemTestJob;

SystemTestJob planned_job() {
  SystemTestJob job = *testing::random_two_module_job();
  job.draws = *rc::gen::inRange<std::uint32_t>(1, 4);
  return job;
}

std::string stated_planning(double planning_ms) {
  return R"({ "name": "s", "system": "encode-first", "planning_ms": )" + std::to_string(planning_ms) + " }";
}

PointOutcome planned_point(const SystemTestJob& job, const std::string& schedule) {
  Caches caches;
  return evaluate_point(job.under(schedule), caches);
}

std::vector<Seconds> planned_steps(const SystemTestJob& job, const std::string& schedule) {
  return planned_point(job, schedule).schedules.front().makespans;
}

SPILLWAY_LONG_PROP(Planning, ChargesWhatTheStepBeforeDoesNotHide, 100) {
  const SystemTestJob job = planned_job();
  const std::vector<Seconds> free = planned_steps(job, R"({ "name": "s", "system": "encode-first" })");
  const double planning_ms = *rc::gen::inRange(0, 400);
  const std::vector<Seconds> charged = planned_steps(job, stated_planning(planning_ms));
  for (std::size_t draw = 0; draw < free.size(); ++draw) {
    const Seconds before = free[draw > 0 ? draw - 1 : free.size() - 1];
    RC_ASSERT(charged[draw] == free[draw] + std::max(Seconds(), milliseconds(planning_ms) - before));
  }
}

SPILLWAY_LONG_PROP(Planning, ChangesNoByteWhereItIsHiddenOrOneIsForAllSteps, 100) {
  const SystemTestJob job = planned_job();
  const auto bytes = [&](const std::string& schedule) { return bytes_of(planned_point(job, schedule)); };
  const std::string none = bytes(R"({ "name": "s", "system": "encode-first" })");
  Seconds least = milliseconds(1e9);
  for (const Seconds makespan : planned_steps(job, stated_planning(0))) least = std::min(least, makespan);
  RC_ASSERT(bytes(stated_planning(0)) == none);
  RC_ASSERT(bytes(stated_planning(std::floor(least.value() * 1e3))) == none);
  RC_ASSERT(planned_steps(job, R"({ "name": "s", "system": "mpipe", "planning_ms": 1e6 })") ==
            planned_steps(job, R"({ "name": "s", "system": "mpipe" })"));
}

// Every engine's figures include the wait, and the ranks are idle during it.
SPILLWAY_LONG_PROP(Planning, IsInEveryFigureOfARun, 100) {
  const SystemTestJob job = planned_job();
  const double planning_ms = *rc::gen::inRange(0, 400);
  const Evaluation free = evaluate(job.under(R"({ "name": "s", "system": "encode-first" })"),
                                   {.run = {Engine::LongestPath, Engine::MaxPlus}});
  const Evaluation charged =
      evaluate(job.under(stated_planning(planning_ms)), {.run = {Engine::LongestPath, Engine::MaxPlus}});
  const std::vector<Seconds> expected = planned_steps(job, stated_planning(planning_ms));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const DrawResult &before = free.schedules.front().draws[i], &now = charged.schedules.front().draws[i];
    RC_ASSERT(now.step.makespan == expected[i]);
    RC_ASSERT(*now.makespans[Engine::LongestPath] == expected[i]);
    RC_ASSERT(*now.makespans[Engine::MaxPlus] >= *before.makespans[Engine::MaxPlus]);
    RC_ASSERT(now.step.exposed_planning == now.step.makespan - before.step.makespan ||
              now.step.exposed_planning > Seconds());
    const double busy = (1 - before.step.bubble_fraction) * before.step.makespan.value();
    RC_ASSERT(std::abs((1 - now.step.bubble_fraction) * now.step.makespan.value() - busy) <= 1e-12 * busy);
  }
}

// The parts of a makespan, the wait included, add up to it, and clocks run during the wait.
RC_GTEST_PROP(Planning, IsAPartOfWhateverAddsUp, ()) {
  const SystemTestJob job = planned_job();
  const double planning_ms = *rc::gen::inRange(0, 4000);
  const Evaluation charged =
      evaluate(job.under(stated_planning(planning_ms)), {.run = {Engine::LongestPath}});
  const ScheduleResult& schedule = charged.schedules.front();
  const auto same = [](Seconds a, Seconds b) { return std::abs((a - b).value()) <= 1e-9 * b.value(); };
  for (const DrawResult& draw : schedule.draws) {
    RC_ASSERT(same(draw.critical_path.total(), draw.step.makespan));
    RC_ASSERT(std::abs((draw.critical_path.planning - draw.step.exposed_planning).value()) <= 1e-12);
    for (const RankFigures& rank : draw.ranks) {
      RC_ASSERT(same(rank.busy + rank.bubble, draw.step.makespan));
      RC_ASSERT(rank.first_start >= draw.step.exposed_planning);
      RC_ASSERT(rank.last_end <= draw.step.makespan);
    }
  }
  const DrawResult& first = schedule.draws.front();
  RC_ASSERT(schedule.first.timeline.makespan() == first.step.makespan);
  for (const BubbleCauses& rank : schedule.first.bubble) {
    RC_ASSERT(same(rank.total() + first.ranks[rank.rank.index()].busy, first.step.makespan) ||
              rank.replica != ReplicaId(0));
    RC_ASSERT(rank.plan == first.step.exposed_planning);
  }
}

TEST(Planning, OfAStepHidesBehindTheOneBefore) {
  const std::vector<Seconds> steps{Seconds(3), Seconds(1), Seconds(2)};
  EXPECT_EQ(exposed_planning(steps, Seconds(2.5)),
            (std::vector<Seconds>{Seconds(0.5), Seconds(0), Seconds(1.5)}));
  EXPECT_EQ(exposed_planning(steps, Seconds(1)), std::vector<Seconds>(3));
}

}  // namespace
}  // namespace spillway
