// The bound of a step against closed forms, against the best of all orders of small jobs, and against every
// skeleton.
#include "timing/order_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "support/best_order.h"
#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "support/tolerance.h"

namespace spillway::testing {
namespace {

double bound(const Derived& derived, const GivenCosts& costs) {
  return OrderBound(derived.order).of(price(derived, GivenCostModel(costs, derived)).durations).step.value();
}

// The pipeline of the oracle, derived: a block of one layer for each stage.
struct SmallJob {
  OraclePipeline pipeline;

  GivenCosts costs() const {
    GivenCosts costs{{}, Seconds(pipeline.transfer)};
    for (std::size_t stage = 0; stage < pipeline.forward.size(); ++stage) {
      BlockProfile block;
      block.forward = Seconds(pipeline.forward[stage]);
      block.input_gradient = Seconds(pipeline.backward[stage]);
      block.work = {pipeline.work};
      costs.blocks.push_back(block);
    }
    return costs;
  }
  Derived derived() const {
    std::vector<Block> blocks;
    for (std::size_t stage = 0; stage < pipeline.forward.size(); ++stage)
      blocks.push_back({"llm" + std::to_string(stage), Role::Backbone, 1, true});
    return derive(Model(blocks), schedule("1f1b"), {},
                  {.pipeline = {static_cast<std::uint32_t>(blocks.size()),
                                static_cast<std::uint32_t>(pipeline.work.size())}});
  }
};

SmallJob any_small_job(std::uint32_t ranks, std::uint32_t microbatches) {
  const auto tenths = [](int low, int high) { return 0.1 * *rc::gen::inRange(low, high); };
  SmallJob job;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    job.pipeline.forward.push_back(tenths(1, 30));
    job.pipeline.backward.push_back(tenths(1, 60));
  }
  for (std::uint32_t m = 0; m < microbatches; ++m) job.pipeline.work.push_back(tenths(1, 30));
  job.pipeline.transfer = tenths(0, 10);
  return job;
}

TEST(OrderBound, IsTheStepOfEqualStages) {
  const GivenCosts costs = uniform_costs(3, 2.5, 1.75);
  for (const std::string text : {"1f1b", "gpipe", "1f1b,1f1b", "1f1b,1f1b,1f1b"})
    for (std::uint32_t p = 1; p <= 6; ++p)
      for (const std::uint32_t m : {p, 2 * p, 5 * p}) {
        const Derived derived = uniform(text, p, m);
        EXPECT_NEAR(bound(derived, costs), makespan(derived, costs), 1e-12 * makespan(derived, costs))
            << text << " P=" << p << " M=" << m;
      }
}

TEST(OrderBound, IsTheStepOfZeroBubbleSchedulesWhoseHalvesAreEqual) {
  const GivenCosts costs = uniform_costs(1, 1, 1);
  for (std::uint32_t p = 1; p <= 6; ++p) {
    const Derived derived = uniform("zb-h1", p, 3 * p);
    EXPECT_NEAR(bound(derived, costs), 9.0 * p + (p - 1), 1e-9) << p;
    EXPECT_NEAR(bound(derived, costs), makespan(derived, costs), 1e-9) << p;
  }
}

TEST(OrderBound, IsTheStepOfASingleMicrobatch) {
  EXPECT_TRUE(rc::check([] {
    const SmallJob job = any_small_job(*rc::gen::inRange(1, 6), 1);
    const double step = makespan(job.derived(), job.costs());
    RC_ASSERT(std::abs(bound(job.derived(), job.costs()) - step) <= 1e-12 * step);
  }));
}

// By hand: both ranks compute 9 s. The second waits 1 s for its first forward, and the backward that it runs
// last takes at least another 2 s on the first rank.
TEST(OrderBound, CountsWarmUpAndDrain) {
  const SmallJob job{{{1, 1}, {2, 2}, {1, 1, 1}}};
  EXPECT_DOUBLE_EQ(bound(job.derived(), job.costs()), 1 + 9 + 2);
}

// By hand: a machine with nothing to do until 4 s, whose short pass has the longer tail.
TEST(OrderBound, RunsTheLongestTailFirst) {
  EXPECT_EQ(one_machine_bound({{Seconds(4), Seconds(3), Seconds(0)}, {Seconds(4), Seconds(1), Seconds(5)}}),
            Seconds(10));
  EXPECT_EQ(one_machine_bound({{Seconds(0), Seconds(3), Seconds(0)}, {Seconds(1), Seconds(1), Seconds(5)}}),
            Seconds(7))
      << "the long pass is interrupted";
  EXPECT_EQ(one_machine_bound({}), Seconds());
}

// The step if each rank takes its passes in the order of its list; infinite if they wait for each other.
double step_in_order(const std::vector<OraclePass>& passes,
                     const std::vector<std::vector<std::uint32_t>>& lists, double transfer) {
  std::vector<double> end(passes.size(), -1), free(lists.size(), 0);
  std::vector<std::size_t> next(lists.size(), 0);
  for (std::size_t run = 0; run < passes.size();) {
    const std::size_t before = run;
    for (std::size_t rank = 0; rank < lists.size(); ++rank) {
      if (next[rank] == lists[rank].size()) continue;
      const std::uint32_t pass = lists[rank][next[rank]];
      double start = free[rank];
      for (const std::uint32_t needed : passes[pass].after)
        start = end[needed] < 0 ? std::numeric_limits<double>::infinity()
                                : std::max(start, end[needed] + (passes[needed].rank == rank ? 0 : transfer));
      if (start == std::numeric_limits<double>::infinity()) continue;
      free[rank] = end[pass] = start + passes[pass].duration;
      ++next[rank];
      ++run;
    }
    if (run == before) return std::numeric_limits<double>::infinity();
  }
  return *std::ranges::max_element(end);
}

// The oracle itself: all 576 pairs of orders of two ranks and two microbatches.
TEST(OrderBound, TheBestOfAllOrdersIsTheBestOfActiveOnes) {
  EXPECT_TRUE(rc::check([] {
    const SmallJob job = any_small_job(2, 2);
    const std::vector<OraclePass> passes = job.pipeline.passes();
    std::vector<std::vector<std::uint32_t>> lists(2);
    for (std::uint32_t pass = 0; pass < passes.size(); ++pass) lists[passes[pass].rank].push_back(pass);
    double least = std::numeric_limits<double>::infinity();
    do {
      do {
        least = std::min(least, step_in_order(passes, lists, job.pipeline.transfer));
      } while (std::ranges::next_permutation(lists[1]).found);
    } while (std::ranges::next_permutation(lists[0]).found);
    RC_ASSERT(std::abs(job.pipeline.best() - least) <= 1e-12 * least);
  }));
}

TEST(OrderBound, IsNeverAboveTheBestOrderAndSeldomFarBelow) {
  std::vector<double> gaps;
  EXPECT_TRUE(rc::check([&] {
    const SmallJob job = any_small_job(*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4));
    const double least = job.pipeline.best(), below = bound(job.derived(), job.costs());
    RC_ASSERT(below <= least * (1 + 1e-12));
    RC_ASSERT(least <= makespan(job.derived(), job.costs()) * (1 + 1e-12));
    gaps.push_back(least / below - 1);
  }));
  ASSERT_FALSE(gaps.empty());
  double mean = 0;
  for (const double gap : gaps) mean += gap / static_cast<double>(gaps.size());
  std::cout << "the best of " << gaps.size() << " jobs' orders is above the bound by " << 100 * mean
            << " % in the mean, " << 100 * std::ranges::max(gaps) << " % at most\n";
  EXPECT_LT(mean, 0.02);
}

TEST(OrderBound, NoScheduleBeatsIt) {
  EXPECT_TRUE(rc::check([] {
    const RandomDerivation random = *random_derivation({.every_skeleton = true});
    const Derived derived = random.derived();
    const Prices prices = random.priced(derived);
    const double step = LongestPath(derived.order).timeline(prices.durations).makespan().value();
    RC_ASSERT(OrderBound(derived.order).of(prices.durations).step.value() <= step * (1 + 1e-12));
  }));
}

// Another order of the same passes has the same bound.
TEST(OrderBound, DoesNotDependOnTheOrder) {
  const GivenCosts costs = uniform_costs(3, 2.5, 1.75, 0.4);
  for (std::uint32_t p = 2; p <= 5; ++p)
    EXPECT_DOUBLE_EQ(bound(uniform("1f1b", p, 7), costs), bound(uniform("gpipe", p, 7), costs)) << p;
}

// A replica that is slower decides, and replicas that run a stage together wait for each other.
TEST(OrderBound, CoversEveryReplica) {
  EXPECT_TRUE(rc::check([] {
    const RandomDerivation random = *random_derivation({.every_skeleton = true});
    const Derived derived = random.derived();
    const Durations all = random.priced(derived).durations;
    const StepBound bound = OrderBound(derived.order).of(all);
    RC_ASSERT(bound.lane < all.lanes());
    Seconds busiest;
    for (std::uint32_t lane = 0; lane < all.lanes(); ++lane)
      for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) {
        Seconds busy;
        for (const EventId id : derived.order.nodes(RankId(rank)))
          if (derived.order.event(id).computes()) busy += all.at(id, lane);
        busiest = std::max(busiest, busy);
      }
    RC_ASSERT(bound.step.value() >= busiest.value() * (1 - 1e-12));
  }));
}

}  // namespace
}  // namespace spillway::testing
