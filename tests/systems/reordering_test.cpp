// DistTrain's two reorderings: the order of microbatches against its rule written out, and the effect of both
// on a step.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "evaluate/evaluate.h"
#include "evaluate/priced_draw.h"
#include "optimize/microbatch_rules.h"
#include "optimize/plan.h"
#include "random_job.h"
#include "support/engines.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::kLongestPath;
using testing::SystemTestJob;

const std::string kFilling = R"({ "name": "s", "system": "disttrain", "order": "fill-intervals" })";

std::vector<Seconds> disttrain_steps(const SystemTestJob& job, const std::string& entry) {
  std::vector<Seconds> all;
  const Evaluation evaluation = evaluate(job.under(entry), kLongestPath);
  for (const DrawResult& draw : evaluation.schedules.front().draws) all.push_back(draw.step.makespan);
  return all;
}

// The rule, place by place, from a table of forward and backward times by [stage][microbatch].
struct PassTable {
  std::vector<std::vector<Seconds>> forward, backward;

  Seconds both(std::size_t stage, std::uint32_t m) const { return forward[stage][m] + backward[stage][m]; }
  Seconds slowest_behind(std::uint32_t m) const {
    Seconds most;
    for (std::size_t stage = 1; stage < forward.size(); ++stage) most = std::max(most, both(stage, m));
    return most;
  }
};

std::vector<std::uint32_t> filled(const PassTable& table) {
  const auto stages = static_cast<std::uint32_t>(table.forward.size());
  const auto& encode = table.forward.front();
  std::vector<std::uint32_t> ascending(encode.size()), order, rest, last;
  std::iota(ascending.begin(), ascending.end(), 0U);
  order.push_back(*std::ranges::min_element(ascending, {}, [&](std::uint32_t m) { return encode[m]; }));
  for (const std::uint32_t m : ascending)
    if (m != order.front()) rest.push_back(m);
  while (last.size() + 1 < stages && !rest.empty()) {
    auto lightest = rest.begin();
    for (auto m = rest.begin(); m != rest.end(); ++m)
      if (encode[*m] <= encode[*lightest]) lightest = m;  // the last one of equals
    last.insert(last.begin(), *lightest);
    rest.erase(lightest);
  }
  Seconds open;
  for (std::size_t stage = 1; stage < stages; ++stage) open += table.both(stage, order.front());
  while (!rest.empty()) {
    const std::size_t place = order.size();
    Seconds interval = open / static_cast<double>(stages > place ? stages - place : 1);
    if (place >= stages) {
      const std::uint32_t back = order[place - stages + 1], before = order[place - stages];
      interval = table.slowest_behind(back) - table.backward.front()[before];
    }
    auto nearest = rest.begin();
    const auto off = [&](std::uint32_t m) { return std::abs((encode[m] - interval).value()); };
    for (auto m = rest.begin(); m != rest.end(); ++m)
      if (off(*m) < off(*nearest)) nearest = m;
    open -= encode[*nearest];
    order.push_back(*nearest);
    rest.erase(nearest);
  }
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

RC_GTEST_PROP(FillIntervals, IsItsRuleWrittenOut, ()) {
  SystemTestJob job = *testing::random_system_job();
  const Experiment experiment = job.under(kFilling);
  const DrawCosts costs(experiment);
  OrderCache orders;
  const PlannedSchedule planned = plan(costs, orders, experiment.schedules.front());
  const auto model = costs.of(planned.derived(), 0);
  const std::vector<Permutation> found = order_for_intervals(planned.derived(), *model);
  for (std::uint32_t replica = 0; replica < found.size(); ++replica) {
    PassTable table;
    for (std::uint32_t stage = 0; stage < job.ranks; ++stage) {
      table.forward.emplace_back();
      table.backward.emplace_back();
      for (std::uint32_t m = 0; m < job.microbatches; ++m) {
        table.forward.back().push_back(
            model->pass(Pass::Forward, StageId(stage), MicrobatchId(m), ReplicaId(replica)));
        table.backward.back().push_back(
            model->pass(Pass::Backward, StageId(stage), MicrobatchId(m), ReplicaId(replica)));
      }
    }
    std::vector<std::uint32_t> order;
    for (const MicrobatchId m : found[replica]) order.push_back(m.index());
    RC_ASSERT(order == filled(table));
  }
}

RC_GTEST_PROP(FillIntervals, ChangesNothingOfMicrobatchesThatAreAlike, ()) {
  SystemTestJob job = *testing::random_system_job();
  job.work.clear();
  job.draws = 0;
  job.backbone = job.ranks * 2;
  const SystemTestJob alike = job;
  const Experiment experiment = alike.under(R"({ "name": "s", "system": "disttrain" })");
  const DrawCosts costs(experiment);
  OrderCache orders;
  const PlannedSchedule planned = plan(costs, orders, experiment.schedules.front());
  const auto model = costs.of(planned.derived(), 0);
  for (const Permutation& order : order_for_intervals(planned.derived(), *model))
    for (std::uint32_t m = 0; m < order.size(); ++m) RC_ASSERT(order[m] == MicrobatchId(m));
}

// P = 2, an encoder of one layer before a backbone stage of F + B = 6 ms. The backbone waits for a microbatch
// of work 6 that is sampled first; one that is sampled last stands alone.
TEST(FillIntervals, BeginsAndEndsWithLightMicrobatches) {
  const SystemTestJob job{.ranks = 2,
                          .microbatches = 6,
                          .encoder = 1,
                          .backbone = 1,
                          .encoder_ms = 0.5,
                          .backbone_ms = 2,
                          .work = {6, 1, 1, 2, 1, 6}};
  const Seconds sampled = disttrain_steps(job, R"({ "name": "s", "system": "disttrain" })").front();
  EXPECT_LT(disttrain_steps(job, kFilling).front(), sampled);
}

// Balancing shortens the three draws in total, and all ranks together compute as much as before.
TEST(BalancedSamples, AreAsManyAndNoReplicaIsSlowerThanTheSlowestWas) {
  SystemTestJob job{
      .ranks = 4, .microbatches = 8, .replicas = 2, .encoder = 4, .backbone = 12, .encoder_ms = 6};
  job.draws = 3;
  const std::string dealt = R"({ "name": "s", "system": "disttrain", "balance_samples": true })";
  const std::string drawn = R"({ "name": "s", "system": "disttrain" })";
  const auto balanced = disttrain_steps(job, dealt), as_drawn = disttrain_steps(job, drawn);
  const auto sum = [](const std::vector<Seconds>& steps) {
    return std::accumulate(steps.begin(), steps.end(), Seconds());
  };
  EXPECT_LT(sum(balanced), sum(as_drawn));
  const auto busy = [&](const std::string& entry) {
    Seconds all;
    const Evaluation evaluation = evaluate(job.under(entry), kLongestPath);
    for (const RankFigures& rank : evaluation.schedules.front().draws.front().ranks) all += rank.busy;
    return all;
  };
  EXPECT_NEAR(busy(dealt).value(), busy(drawn).value(), 1e-9);
}

// Both reorderings together give the same step under every engine.
RC_GTEST_PROP(BalancedSamples, AreOneStepUnderAllEngines, ()) {
  SystemTestJob job = *testing::random_system_job();
  job.draws = 2;
  job.work.clear();
  const Evaluation evaluation = evaluate(
      job.under(
          R"({ "name": "s", "system": "disttrain", "order": "fill-intervals", "balance_samples": true })"),
      {.run = {Engine::LongestPath, Engine::MaxPlus, Engine::SimGrid}});
  for (const DrawResult& draw : evaluation.schedules.front().draws)
    for (const Engine engine : {Engine::MaxPlus, Engine::SimGrid})
      RC_ASSERT(std::abs((*draw.makespans[engine] - *draw.makespans[Engine::LongestPath]).value()) <=
                1e-9 * draw.step.makespan.value());
}

}  // namespace
}  // namespace spillway
