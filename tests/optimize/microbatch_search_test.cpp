// Orders of microbatches: the search against every permutation of small steps, and evaluations that use it.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>

#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "optimize/microbatch_rules.h"
#include "support/engines.h"
#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "support/shipped.h"

namespace spillway {
namespace {

using testing::kExperiments;
using testing::kLongestPath;
using testing::random_derivation;
using testing::RandomDerivation;

Seconds makespan(const Derived& derived, const CostModel& costs, const std::vector<Permutation>& orders) {
  const Durations durations = price(derived, ReorderedCosts(costs, orders)).durations;
  return LongestPath(derived.order).timeline(durations).makespan();
}

Seconds makespan(const Derived& derived, const CostModel& costs, MicrobatchOrder order) {
  return makespan(derived, costs, order_microbatches(order, derived, costs));
}

RC_GTEST_PROP(OrderSearch, IsNoSlowerThanAnyRule, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const GivenCostModel costs(random.costs, derived);
  const Seconds searched = makespan(derived, costs, MicrobatchOrder::Makespan);
  for (MicrobatchOrder rule : kOrderRules) RC_ASSERT(searched <= makespan(derived, costs, rule));
}

RC_GTEST_PROP(OrderSearch, IsDeterministic, ()) {
  const RandomDerivation random = *random_derivation({.microbatches = 6});
  const Derived derived = random.derived();
  const GivenCostModel costs(random.costs, derived);
  RC_ASSERT(order_microbatches(MicrobatchOrder::Makespan, derived, costs) ==
            order_microbatches(MicrobatchOrder::Makespan, derived, costs));
}

// Replica numbers mean nothing: joined replicas are searched by their times.
RC_GTEST_PROP(OrderSearch, ReplicasHaveNoOrder, ()) {
  RandomDerivation random = *random_derivation({.microbatches = 6});
  const std::uint32_t replicas = random.options.pipeline.replicas;
  for (std::uint32_t& joined : random.options.joined_replicas)
    joined = *rc::gen::element(std::uint32_t{1}, replicas);
  GivenCosts moved = random.costs;
  for (BlockProfile& block : moved.blocks)
    for (auto* work : {&block.work, &block.backward_work})
      if (work->size() > 1) std::rotate(work->begin(), work->begin() + 1, work->end());
  const Derived derived = random.derived();
  RC_ASSERT(makespan(derived, GivenCostModel(random.costs, derived), MicrobatchOrder::Makespan) ==
            makespan(derived, GivenCostModel(moved, derived), MicrobatchOrder::Makespan));
}

// With one replica a swap can shorten the step only where it shortens the searched lane. One more step of the
// search gains nothing, so refusing by the critical path alone loses nothing.
RC_GTEST_PROP(OrderSearch, EndsWhereNoSwapAndNoInsertionGains, ()) {
  const RandomDerivation random = *random_derivation({.microbatches = 6, .replicas = 1});
  const Derived derived = random.derived();
  const GivenCostModel costs(random.costs, derived);
  const auto found = order_microbatches(MicrobatchOrder::Makespan, derived, costs);
  const double least = makespan(derived, costs, found).value();
  const auto size = static_cast<std::ptrdiff_t>(found[0].size());
  for (std::ptrdiff_t a = 0; a < size; ++a) {
    for (std::ptrdiff_t b = a + 1; b < size; ++b) {
      auto swapped = found, later = found, earlier = found;
      std::iter_swap(swapped[0].begin() + a, swapped[0].begin() + b);
      std::rotate(later[0].begin() + a, later[0].begin() + a + 1, later[0].begin() + b + 1);
      std::rotate(earlier[0].begin() + a, earlier[0].begin() + b, earlier[0].begin() + b + 1);
      for (const auto& moved : {swapped, later, earlier})
        RC_ASSERT(makespan(derived, costs, moved).value() >= least * (1 - 1e-12));
    }
  }
}

// A trained encoder before a trained backbone, transposed or not. The encoder's work is a power of two from
// 1/4 to 4, plus less than 0.1.
struct SmallStep {
  Derived derived;
  GivenCosts costs;
};
SmallStep small_step(std::mt19937& random, std::uint32_t ranks, std::uint32_t microbatches) {
  const Model model({{"enc", Role::Encoder, 2, true}, {"llm", Role::Backbone, 2 * ranks, true}});
  const Schedule schedule = testing::schedule(random() % 3 == 0 ? "1f1b" : "transpose,1f1b");
  const Cut cut = schedule.skeletons.size() == 1 ? Cut{} : Cut{{2}};
  const GivenCosts layer = testing::uniform_costs(1, 1, 1, 0.05);
  GivenCosts costs{{layer.blocks[0], layer.blocks[0]}, layer.p2p};
  auto& work = costs.blocks[0].work.emplace_back();
  for (std::uint32_t m = 0; m < microbatches; ++m)
    work.push_back(static_cast<double>(1u << random() % 5) / 4 + static_cast<double>(random() % 100) / 1000);
  return {derive(model, schedule, cut, {.pipeline = {ranks, microbatches}}), costs};
}

Seconds least_of_all(const SmallStep& step) {
  const GivenCostModel costs(step.costs, step.derived);
  std::vector<Permutation> orders(1);
  for (std::uint32_t m = 0; m < step.derived.pipeline.microbatches; ++m) orders[0].emplace_back(m);
  Seconds least(std::numeric_limits<double>::infinity());
  do {
    least = std::min(least, makespan(step.derived, costs, orders));
  } while (std::ranges::next_permutation(orders[0]).found);
  return least;
}

// The search guarantees a local optimum. How often it is a global one is recorded, and asserted only for up
// to two microbatches.
TEST(OrderSearch, AgainstEveryPermutationOfSmallSteps) {
  std::mt19937 random(20240607);
  int steps = 0, optimal = 0;
  double worst = 0;
  for (std::uint32_t microbatches = 1; microbatches <= 6; ++microbatches) {
    for (int trial = 0; trial < 20; ++trial, ++steps) {
      const SmallStep step = small_step(random, 2 + trial % 3, microbatches);
      const double least = least_of_all(step).value();
      const double found =
          makespan(step.derived, GivenCostModel(step.costs, step.derived), MicrobatchOrder::Makespan).value();
      EXPECT_GE(found, least * (1 - 1e-12));
      if (microbatches <= 2) {
        EXPECT_LE(found, least * (1 + 1e-12)) << "one swap reaches every order";
      }
      worst = std::max(worst, found / least - 1);
      if (found <= least * (1 + 1e-12)) ++optimal;
    }
  }
  RecordProperty("steps", steps);
  RecordProperty("optimal", optimal);
}

// Joined replicas advance at the pace of each position's heaviest microbatch, so heavy ones should meet.
TEST(OrderSearch, JoinedReplicasAreOrderedSideBySide) {
  const Model model({{"enc", Role::Encoder, 1, false}, {"llm", Role::Backbone, 2, true}});
  DeriveOptions options{.pipeline = {2, 4, 2}};
  options.joined_replicas = {2, 2};
  const Derived derived = derive(model, testing::schedule("1f1b"), Cut{}, options);
  GivenCosts costs{{testing::uniform_costs(1, 1, 1).blocks[0], testing::uniform_costs(1, 1, 1).blocks[0]},
                   {}};
  costs.blocks[0].work = {{8, 1, 8, 1}, {1, 8, 1, 8}};
  const GivenCostModel model_costs(costs, derived);
  const auto found = order_microbatches(MicrobatchOrder::Makespan, derived, model_costs);
  const auto work = [&](std::size_t replica, std::size_t position) {
    return costs.blocks[0].work[replica][found[replica][position].index()];
  };
  for (std::size_t position = 0; position < 4; ++position)
    EXPECT_EQ(work(0, position), work(1, position)) << position;
  EXPECT_LT(makespan(derived, model_costs, found),
            makespan(derived, model_costs, MicrobatchOrder::AsSampled) - Seconds(10));
}

Evaluation run_shipped(const std::string& name, const std::vector<Setting>& settings) {
  return evaluate(read_experiment(kExperiments + name, settings), kLongestPath);
}

// Runs owners.json with one transposed schedule under the given policy and order.
ScheduleResult transposed_owners(const std::string& owner, MicrobatchOrder order,
                                 std::vector<Setting> settings = {}) {
  settings.push_back({"/schedules", R"([{"name": "it", "schedule": "transpose,1f1b", "owner": ")" + owner +
                                        R"(", "order": ")" + to_string(order) + R"("}])"});
  settings.push_back({"/baseline", "it"});
  for (const char* block : {"0", "1"})
    settings.push_back({std::string("/model/blocks/") + block + "/profile/activation_bytes", "1"});
  return run_shipped("owners.json", settings).schedules[0];
}

void expect_equal_results(const ScheduleResult& a, const ScheduleResult& b) {
  EXPECT_TRUE(std::ranges::equal(a.first.durations.flat(), b.first.durations.flat()));
  EXPECT_TRUE(std::ranges::equal(a.first.timeline.end.flat(), b.first.timeline.end.flat()));
  EXPECT_EQ(a.draws[0].step.makespan, b.draws[0].step.makespan);
  EXPECT_EQ(a.draws[0].step.spill, b.draws[0].step.spill);
  EXPECT_EQ(a.owner_gap, b.owner_gap);
  ASSERT_FALSE(a.draws[0].memory.empty());
  for (std::size_t i = 0; i < a.draws[0].memory.size(); ++i)
    EXPECT_EQ(a.draws[0].memory[i].parts.total(), b.draws[0].memory[i].parts.total()) << "rank " << i;
}

// Sizes known before the step may be written in the order in which they run: the owner map is made for
// positions, not for the microbatches sampled there.
TEST(MicrobatchOrders, SortedStepsAreStepsWrittenSorted) {
  for (const auto& [owner, policy] : kOwnerPolicies) {
    const std::string name(owner);
    expect_equal_results(
        transposed_owners(name, MicrobatchOrder::HeaviestFirst),
        transposed_owners(name, MicrobatchOrder::AsSampled,
                          {{"/model/blocks/0/work_per_microbatch", "[4, 4, 1, 1, 1, 1, 1, 1]"}}));
    expect_equal_results(
        transposed_owners(name, MicrobatchOrder::LightestFirst),
        transposed_owners(name, MicrobatchOrder::AsSampled,
                          {{"/model/blocks/0/work_per_microbatch", "[1, 1, 1, 1, 1, 1, 4, 4]"}}));
  }
}

TEST(MicrobatchOrders, EqualMicrobatchesAreAllOneToThem) {
  const std::vector<Setting> equal = {{"/model/blocks/0/work_per_microbatch", "[2, 2, 2, 2, 2, 2, 2, 2]"}};
  for (const auto& [owner, policy] : kOwnerPolicies) {
    const ScheduleResult as_sampled =
        transposed_owners(std::string(owner), MicrobatchOrder::AsSampled, equal);
    for (const auto& [name, order] : kMicrobatchOrders)
      expect_equal_results(transposed_owners(std::string(owner), order, equal), as_sampled);
  }
}

// The map is made from given sizes too, so the promise holds with each order's own map.
TEST(MicrobatchOrders, MakespanIsNoSlowerThanAnyRuleUnderAnyOwnerPolicy) {
  for (const auto& [owner, policy] : kOwnerPolicies) {
    const Seconds searched =
        transposed_owners(std::string(owner), MicrobatchOrder::Makespan).draws[0].step.makespan;
    for (MicrobatchOrder rule : kOrderRules)
      EXPECT_LE(searched, transposed_owners(std::string(owner), rule).draws[0].step.makespan) << owner;
  }
}

TEST(MicrobatchOrders, MakespanIsNoSlowerThanAnyRuleOnMapsFromTheDraw) {
  const auto step = [](MicrobatchOrder order) {
    return run_shipped("experiment-a.json", {{"/fit", "[]"},
                                             {"/draws", "1"},
                                             {"/pipeline/microbatches", "8"},
                                             {"/pipeline/replicas", "2"},
                                             {"/parallel/expert", "8"},
                                             {"/schedules/0/owner_from", "draw"},
                                             {"/schedules/0/order", to_string(order)}})
        .schedules[0]
        .draws[0]
        .step.makespan;
  };
  for (MicrobatchOrder rule : kOrderRules) EXPECT_LE(step(MicrobatchOrder::Makespan), step(rule));
}

TEST(MicrobatchOrders, EqualReplicasAreStillSimulatedOnce) {
  const ScheduleResult one = transposed_owners("greedy", MicrobatchOrder::Makespan);
  const ScheduleResult three =
      transposed_owners("greedy", MicrobatchOrder::Makespan, {{"/pipeline/replicas", "3"}});
  EXPECT_EQ(three.equal_replicas, 3u);
  EXPECT_EQ(three.simulation.events, one.simulation.events);
  EXPECT_EQ(three.first.sampled_as.size(), 1u);
  const std::string work = "[1, 1, 4, 1, 1, 1, 4, 1]";
  const ScheduleResult apart = transposed_owners(
      "greedy", MicrobatchOrder::Makespan,
      {{"/pipeline/replicas", "2"},
       {"/model/blocks/0/work_per_microbatch", "[" + work + ", [1, 1, 4, 1, 1, 1, 4, 1.0000001]]"}});
  EXPECT_EQ(apart.equal_replicas, 1u);
  EXPECT_EQ(apart.first.sampled_as.size(), 2u);
  EXPECT_NEAR(apart.draws[0].step.makespan.value(), three.draws[0].step.makespan.value(), 1e-6);
}

TEST(MicrobatchOrders, AFitReachesItsTargetUnderEachOrder) {
  for (const auto& [name, order] : kMicrobatchOrders) {
    const Evaluation a = run_shipped("experiment-a.json", {{"/draws", "2"},
                                                           {"/schedules/1/order", std::string(name)},
                                                           {"/pipeline/microbatches", "8"},
                                                           {"/pipeline/replicas", "2"},
                                                           {"/parallel/expert", "8"},
                                                           {"/fit/0/makespan_s", "12"}});
    const auto& draws = a.schedules[1].draws;
    EXPECT_NEAR((draws[0].step.makespan + draws[1].step.makespan).value() / 2, a.fitted[0].reached.value(),
                1e-9);
    EXPECT_NEAR(a.fitted[0].reached.value(), 12, 1e-6) << name;
  }
}

}  // namespace
}  // namespace spillway
