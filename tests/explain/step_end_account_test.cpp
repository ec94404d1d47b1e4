// The account of a step's end sums to what engines show, wherever reductions begin.
#include "explain/step_end_account.h"

#include <gtest/gtest.h>

#include "evaluate/evaluate.h"
#include "evaluate/steps.h"
#include "explain/explanation.h"
#include "explained_jobs.h"

namespace spillway {
namespace {

JobJson figure(const JobJson& value) {
  return {{"value", value}, {"kind", "assumed"}, {"source", "chosen for a test"}};
}

// Two replicas, two ranks, two virtual stages on each.
JobJson ended_job(const std::string& reductions) {
  JobJson job = priced_job();
  job["pipeline"]["replicas"] = 2;
  job["parallel"]["data"] = "zero1";
  job["schedules"][0]["schedule"] = "1f1b,1f1b";
  job["schedules"][0]["cut"] = {2};
  job["framework"] = {{"schema", "spillway/framework/1"},
                      {"name", "f"},
                      {"update_us", figure(20)},
                      {"step_end",
                       {{"reductions", figure(reductions)},
                        {"norms", figure(1)},
                        {"checks", figure(1)},
                        {"between_us", figure(300)}}}};
  return job;
}

TEST(StepEndAccount, SumsToTheTimeAfterTheLastPass) {
  Seconds by_stage;
  for (const char* reductions : {"by-stage", "aligned", "by-bucket", "after-backward"}) {
    const Evaluation evaluation =
        evaluate(read_job(ended_job(reductions), {}), {.run = {Engine::LongestPath}});
    const ScheduleResult& schedule = evaluation.schedules.front();
    const StepEndAccount account = step_end_account(schedule);
    Seconds last;
    const Order& order = schedule.derived->order;
    for (std::uint32_t id = 0; id < order.event_count(); ++id)
      if (order.event(EventId(id)).computes())
        last = std::max(last, schedule.first.timeline.end.at(EventId(id), 0));
    EXPECT_EQ(account.whole, schedule.first.timeline.makespan() - last);
    EXPECT_NEAR((account.reducing + account.parts.total()).value(), account.whole.value(), 1e-12);
    EXPECT_GT(account.reducing, Seconds());
    EXPECT_LE(account.reducing, account.parts.reduced * (1 + 1e-9));
    EXPECT_NEAR(account.parts.between.value(), 300e-6, 1e-12);
    // Nothing is hidden if a rank reduces all gradients after its last backward. Ranks differ by a norm.
    if (reductions == std::string("after-backward")) {
      EXPECT_NEAR(account.reducing / account.parts.reduced, 1, 1e-4);
      EXPECT_EQ(account.parts.hidden_reduced, Seconds());
      EXPECT_GT(account.reducing, by_stage);
    } else if (reductions == std::string("by-stage")) {
      by_stage = account.reducing;
    }
    EXPECT_NE(step_end_table(schedule, unit_for(account.whole)).find("host between steps"),
              std::string::npos);
  }
}

TEST(StepEndAccount, IsTheSameInTheReplay) {
  for (const char* reductions : {"by-stage", "after-backward"}) {
    const Evaluation evaluation =
        evaluate(read_job(ended_job(reductions), {}), {.run = {Engine::LongestPath, Engine::SimGrid}});
    const auto& makespans = evaluation.schedules.front().draws.front().makespans;
    EXPECT_NEAR(*makespans[Engine::SimGrid] / *makespans[Engine::LongestPath], 1, 2e-2);
    EXPECT_GE(*makespans[Engine::SimGrid], *makespans[Engine::LongestPath] * (1 - 1e-9));
  }
}

TEST(StepEndAccount, IsEmptyIfNothingIsStated) {
  const Evaluation evaluation = evaluate(read_job(priced_job(), {}), {.run = {Engine::LongestPath}});
  EXPECT_FALSE(evaluation.schedules.front().draws.front().step_end);
  EXPECT_EQ(step_end_table(evaluation.schedules.front(), unit_for(Seconds(1))), "");
}

}  // namespace
}  // namespace spillway
