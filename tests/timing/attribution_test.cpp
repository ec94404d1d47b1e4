// Shares of the critical path and causes of the bubble: the parts add up, and match pipelines worked by hand.
#include "timing/attribution.h"

#include <gtest/gtest.h>

#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "timing/figures.h"
#include "timing/idle_before.h"

namespace spillway::testing {
namespace {

struct Evaluated {
  Derived derived;
  Durations durations;
  Timeline timeline;
};

Evaluated run_of(Derived derived, const GivenCosts& costs) {
  Durations durations = price(derived, GivenCostModel(costs, derived)).durations;
  Timeline timeline = LongestPath(derived.order).timeline(durations);
  return {std::move(derived), std::move(durations), std::move(timeline)};
}

// 1F1B, P = 4, M = 8, F = 1, B = 2, no transfers: the path runs down all ranks, along the last, and up again.
TEST(CriticalPathShares, OfOneFOneB) {
  const Evaluated run = run_of(uniform("1f1b", 4, 8), uniform_costs(1, 1, 1));
  const auto shares = critical_path_shares(run.derived, run.durations, run.timeline);
  EXPECT_DOUBLE_EQ(shares.forward.value(), 11);
  EXPECT_DOUBLE_EQ(shares.backward.value(), 22);
  EXPECT_EQ(shares.transposed_forward + shares.transposed_backward + shares.transfers + shares.reductions,
            Seconds());
}

// Rank r of 1F1B waits r F to fill, r B to drain, and the rest of its bubble for gradients.
TEST(BubbleCauses, OfOneFOneB) {
  const Evaluated run = run_of(uniform("1f1b", 4, 8), uniform_costs(1, 1, 1));
  const auto causes = bubble_causes(run.derived, run.timeline);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_DOUBLE_EQ(causes[rank].fill.value(), rank) << rank;
    EXPECT_DOUBLE_EQ(causes[rank].drain.value(), 2.0 * rank) << rank;
    EXPECT_DOUBLE_EQ(causes[rank].gradients.value(), 3.0 * (3 - rank)) << rank;
    EXPECT_EQ(causes[rank].activations + causes[rank].replicas + causes[rank].sending, Seconds()) << rank;
  }
}

TEST(BubbleCauses, BlockingTransfersAreTheSendersOwn) {
  const Schedule schedule = testing::schedule("1f1b");
  const Model model({{"llm", Role::Backbone, 2, true}});
  DeriveOptions options{.pipeline = {2, 2}};
  options.point_to_point = PointToPoint::Blocking;
  const Evaluated run = run_of(derive(model, schedule, {}, options), uniform_costs(10, 5, 5, 1));
  const auto causes = bubble_causes(run.derived, run.timeline);
  // Rank 0 runs F1 to 10, sends to 11, runs F2 to 21. Gradients arrive at 32 and 53; B1 ends at 42.
  EXPECT_DOUBLE_EQ(causes[0].sending.value(), 1);
  EXPECT_DOUBLE_EQ(causes[0].gradients.value(), 22);
}

// Two replicas advance together; replica 1 encodes four times as long, so replica 0 waits for it.
TEST(BubbleCauses, JoinedReplicasWaitForTheSlowest) {
  const Model model({{"enc", Role::Encoder, 1, false}, {"llm", Role::Backbone, 1, true}});
  DeriveOptions options{.pipeline = {2, 2, 2}};
  options.layers_per_rank = {1, 1};
  options.joined_replicas = {1, 2};
  GivenCosts costs = uniform_costs(1, 1, 1);
  costs.blocks.push_back(costs.blocks[0]);
  costs.blocks[0].work = {{1, 1}, {1, 4}};
  const Evaluated run = run_of(derive(model, testing::schedule("1f1b"), {}, options), costs);
  const auto causes = bubble_causes(run.derived, run.timeline);
  ASSERT_EQ(causes[1].rank, RankId(1));
  EXPECT_DOUBLE_EQ(causes[1].replicas.value(),
                   1);  // F2 could start at 4, when B1 ends; replica 1 encodes until 5
  EXPECT_DOUBLE_EQ(causes[3].activations.value(), 1);
}

RC_GTEST_PROP(Attribution, PartsAddUp, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Evaluated run = run_of(random.derived(), random.costs);
  const Seconds makespan = run.timeline.makespan();
  const Seconds tolerance(1e-9 * std::max(1.0, makespan.value()));
  const auto same = [&](Seconds a, Seconds b) { return a <= b + tolerance && b <= a + tolerance; };
  const auto shares = critical_path_shares(run.derived, run.durations, run.timeline);
  RC_ASSERT(same(shares.total(), makespan));
  const auto figures = rank_figures(run.derived, run.durations, run.timeline);
  const auto causes = bubble_causes(run.derived, run.timeline);
  RC_ASSERT(causes.size() == figures.size());
  for (std::size_t i = 0; i < causes.size(); ++i) {
    RC_ASSERT(same(causes[i].total(), figures[i].bubble));
    RC_ASSERT(figures[i].idle >= Seconds());
    RC_ASSERT(figures[i].idle <= figures[i].bubble + tolerance);
    for (Seconds part : {causes[i].fill, causes[i].activations, causes[i].gradients, causes[i].replicas,
                         causes[i].sending, causes[i].drain})
      RC_ASSERT(part + tolerance >= Seconds());
  }
}

// The idle times before computing events, and that after the last one, are the bubble.
RC_GTEST_PROP(Attribution, IdleTimesBeforeEventsAreTheBubble, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Evaluated run = run_of(random.derived(), random.costs);
  for (const BubbleCauses& causes : bubble_causes(run.derived, run.timeline)) {
    BubbleCauses sums{};
    Seconds free;
    const std::uint32_t lane = causes.replica.index();
    for (const IdleBefore& idle : idle_before(run.derived, run.timeline, causes.rank, causes.replica)) {
      sums.*idle.cause += run.timeline.start.at(idle.event, lane) - free;
      free = run.timeline.end.at(idle.event, lane);
    }
    sums.drain += run.timeline.makespan() - free;
    RC_ASSERT(sums.fill == causes.fill && sums.activations == causes.activations &&
              sums.gradients == causes.gradients && sums.replicas == causes.replicas &&
              sums.sending == causes.sending && sums.drain == causes.drain);
  }
}

}  // namespace
}  // namespace spillway::testing
