// The figures of a rank, on pipelines short enough to draw.
#include "timing/figures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "derive/feeding.h"
#include "order/rank_lists.h"
#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

constexpr double kForward = 1, kBackward = 2;

struct Result {
  Seconds makespan;
  Seconds exposed;  // makespan - makespan with the transposed work free
  StepFigures step;
  std::vector<RankFigures> ranks;
};

Result evaluated(const Derived& derived, const GivenCosts& costs) {
  const LongestPath path(derived.order);
  const Durations durations = price(derived, GivenCostModel(costs, derived)).durations;
  const Timeline timeline = path.timeline(durations);
  const PathEnds ends{timeline.makespan(), path.timeline(transposed_free(derived, durations)).makespan()};
  const std::vector<RankFigures> ranks = rank_figures(derived, durations, timeline);
  const std::optional<PathEnds> spilling = feeding_of(derived) ? std::optional(ends) : std::nullopt;
  return {ends.counted, ends.counted - ends.free, step_figures(ranks, ends.counted, spilling), ranks};
}

BlockProfile profile(double forward, double backward) {
  return uniform_costs(forward, backward / 2, backward / 2).blocks[0];
}

// Returns a pipeline with one encoder layer and a backbone layer per rank.
Derived mpipe(std::uint32_t p, std::uint32_t m, OwnerMap owner, bool trainable = false) {
  const Model model({{"enc", Role::Encoder, 1, trainable}, {"llm", Role::Backbone, p, true}});
  return derive(model, schedule("transpose,1f1b"), {{1}}, {.pipeline = {p, m}, .owners = {std::move(owner)}});
}

GivenCosts mpipe_costs(double encode, double p2p = 0) {
  return {{profile(encode, 2 * encode), profile(kForward, kBackward)}, Seconds(p2p)};
}

OwnerMap owners(const std::vector<std::uint32_t>& ranks) {
  OwnerMap owner;
  for (std::uint32_t rank : ranks) owner.emplace_back(rank);
  return owner;
}

// 1F1B, P = 4, M = 8, F = 1, B = 2: T = (M + P - 1)(F + B) = 33. Rank r starts at r F, and its last backward
// ends r B before the step does. In between it works 8 x 3 s.
TEST(RankFigures, OneFOneB) {
  const Result result = evaluated(uniform("1f1b", 4, 8), uniform_costs(1, 1, 1));
  EXPECT_EQ(result.makespan, Seconds(33));
  for (std::uint32_t r = 0; r < 4; ++r) {
    const RankFigures& rank = result.ranks[r];
    EXPECT_EQ(rank.rank, RankId(r));
    EXPECT_EQ(rank.busy, Seconds(24));
    EXPECT_EQ(rank.communication, Seconds(0));
    EXPECT_EQ(rank.bubble, Seconds(9));
    EXPECT_EQ(rank.idle, Seconds(9));
    EXPECT_EQ(rank.first_start, Seconds(r));
    EXPECT_EQ(rank.last_end, Seconds(33 - 2.0 * r));
    EXPECT_FALSE(rank.spill) << "nothing is transposed";
  }
  EXPECT_DOUBLE_EQ(result.step.bubble_fraction, 9.0 / 33);
  EXPECT_DOUBLE_EQ(result.step.bubble_rate, 9.0 / 33);  // rank 0's rate, from its start to its end
}

// P = 2, M = 1, F = 1, B = 2, hops of 0.25 s, two replicas: 1 + .25 + 1 + 2 + .25 + 2, then the last reduce
// of .25. Rank 0 idles from 1.25, when its output has arrived, to 4.25; rank 1 idles up to 1 and from 4.5 on.
TEST(RankFigures, TransfersAndReducesAreCommunication) {
  const Model model({{"llm", Role::Backbone, 2, true}});
  const Derived derived = derive(model, schedule("1f1b"), {}, {.pipeline = {2, 1, 2}});
  const Result result = evaluated(derived, uniform_costs(1, 1, 1, 0.25));
  EXPECT_EQ(result.makespan, Seconds(6.75));
  ASSERT_EQ(result.ranks.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(result.ranks[i].replica, ReplicaId(static_cast<std::uint32_t>(i / 2)));
    EXPECT_EQ(result.ranks[i].busy, Seconds(3));
    EXPECT_EQ(result.ranks[i].communication, Seconds(0.5));  // one send, one reduce
    EXPECT_EQ(result.ranks[i].bubble, Seconds(3.75));
    EXPECT_EQ(result.ranks[i].idle, Seconds(i % 2 == 0 ? 3 : 3.25));
  }
  EXPECT_EQ(result.ranks[0].last_end, Seconds(6.5));
}

// Each rank encodes one microbatch in half a forward. Rank r has r forwards of slack, so only rank 0 spills:
// 0.5 s, by which the step grows.
TEST(RankFigures, WarmUpHidesTheEncoder) {
  const Result result = evaluated(mpipe(4, 4, owners({0, 1, 2, 3})), mpipe_costs(0.5));
  EXPECT_EQ(result.makespan, Seconds(0.5 + 7 * 3));
  EXPECT_EQ(result.exposed, Seconds(0.5));
  for (std::uint32_t r = 0; r < 4; ++r) {
    EXPECT_EQ(result.ranks[r].spill->warm_up_slack, Seconds(r));
    EXPECT_EQ(result.ranks[r].spill->encoder, Seconds(0.5));
    EXPECT_EQ(result.ranks[r].spill->spill, Seconds(r == 0 ? 0.5 : 0));
    EXPECT_EQ(result.ranks[r].busy, Seconds(0.5 + 4 * 3));
    EXPECT_EQ(result.ranks[r].first_start, Seconds(0)) << "the encodes start at once";
  }
}

// Rank 3 runs all encodes: 4 x 0.5 = 2 s fit into its slack of 3 s, so by the formula nothing spills. But
// nothing starts before microbatch 1 is encoded: 0.5 s are exposed.
TEST(RankFigures, TheFirstMicrobatchIsExposedWhateverTheFormulaSays) {
  const Result result = evaluated(mpipe(4, 4, owners({3, 3, 3, 3})), mpipe_costs(0.5));
  for (const RankFigures& rank : result.ranks) EXPECT_EQ(rank.spill->spill, Seconds(0));
  EXPECT_EQ(result.ranks[3].spill->encoder, Seconds(2));
  EXPECT_EQ(result.exposed, Seconds(0.5));
}

// The same with encodes of 1.5 s: they take 6 s on rank 3, 3 more than its slack. Microbatch m arrives at 1.5
// m, the last at 6. Rank 3 is free at 6 instead of 3, and everything after its first forward moves by 3.
TEST(RankFigures, SpillIsWhatTheLastRankStartsLate) {
  const Result result = evaluated(mpipe(4, 4, owners({3, 3, 3, 3})), mpipe_costs(1.5));
  EXPECT_EQ(result.ranks[3].spill->spill, Seconds(3));
  EXPECT_EQ(result.exposed, Seconds(3));
}

// In training each encode also has a backward of 2 x 0.5 s, after the rank's last backward of the body. The
// gradient of microbatch 4 leaves rank 0 at the very end of the body. Only then does rank 0 run its own
// encoder's backward, so the step is 1 s longer.
TEST(RankFigures, ATrainedEncoderEndsAfterItsGradientArrives) {
  const Result frozen = evaluated(mpipe(4, 4, owners({0, 1, 2, 3})), mpipe_costs(0.5));
  const Result trained = evaluated(mpipe(4, 4, owners({0, 1, 2, 3}), true), mpipe_costs(0.5));
  EXPECT_EQ(trained.makespan - frozen.makespan, Seconds(1));
  EXPECT_EQ(trained.ranks[0].last_end, trained.makespan);
  EXPECT_EQ(trained.ranks[3].last_end, trained.makespan);
  EXPECT_EQ(trained.ranks[3].spill->encoder, Seconds(0.5)) << "E_r counts forwards, as the paper defines it";
}

// Replicas draw different work and meet at the reduce: the slower replica sets the step.
TEST(RankFigures, TheSlowestReplicaSetsTheStep) {
  const Model model({{"llm", Role::Backbone, 2, true}});
  const Derived derived = derive(model, schedule("1f1b"), {}, {.pipeline = {2, 2, 2}});
  GivenCosts costs = uniform_costs(1, 1, 1);
  costs.blocks[0].work = {{1, 1}, {2, 2}};
  const Result result = evaluated(derived, costs);
  EXPECT_EQ(result.makespan, Seconds(18));  // (2 + 1) x 3 x 2
  EXPECT_EQ(result.ranks[0].busy, Seconds(6));
  EXPECT_EQ(result.ranks[0].bubble, Seconds(12));
  EXPECT_EQ(result.ranks[2].busy, Seconds(12));
  EXPECT_DOUBLE_EQ(result.step.bubble_fraction, 1 - (6 + 6 + 12 + 12) / (4 * 18.0));
}

// The encoder is inside stage 0, as in the DistTrain-like baseline: nothing is transposed, so nothing spills.
TEST(RankFigures, APipelinedEncoderDoesNotSpill) {
  const Model model({{"enc", Role::Encoder, 1, false}, {"llm", Role::Backbone, 2, true}});
  const Derived derived =
      derive(model, schedule("1f1b"), {}, {.pipeline = {2, 3}, .layers_per_rank = {2, 1}});
  const Result result = evaluated(derived, mpipe_costs(0.5));
  for (const RankFigures& rank : result.ranks) EXPECT_FALSE(rank.spill);
  EXPECT_EQ(result.makespan, Seconds(13));
  EXPECT_EQ(result.exposed, Seconds(0));
}

// With hops of 0.25 s rank r starts r hops and forwards after rank 0. Its slack depends neither on the rank
// that encodes microbatch 1 nor on how long its outputs travel.
TEST(RankFigures, SlackDoesNotDependOnWhoEncodes) {
  for (const std::vector<std::uint32_t>& map :
       {std::vector<std::uint32_t>{0, 1, 2, 3}, {3, 3, 3, 3}, {2, 0, 1, 3}}) {
    const Result result = evaluated(mpipe(4, 4, owners(map)), mpipe_costs(0.5, 0.25));
    for (std::uint32_t r = 0; r < 4; ++r)
      EXPECT_EQ(result.ranks[r].spill->warm_up_slack, Seconds(1.25 * r)) << r;
  }
}

// The cut of issue 13: the transposed region has the first block, of any role, and one layer of the next. Two
// layers of 1 s forward are pipelined behind it. Neither region is one whole block.
TEST(RankFigures, SpillIsOfRegionsWhateverTheirBlocksAre) {
  for (const Role role : {Role::Encoder, Role::Backbone, Role::Generator}) {
    const Model model({{"one", role, 1, false}, {"two", Role::Backbone, 3, true}});
    const Derived derived =
        derive(model, schedule("transpose,1f1b"), {{2}}, {.pipeline = {2, 2}, .owners = {owners({0, 1})}});
    const Result result = evaluated(derived, mpipe_costs(0.5));
    for (std::uint32_t r = 0; r < 2; ++r) {
      EXPECT_EQ(result.ranks[r].spill->encoder, Seconds(1.5));
      EXPECT_EQ(result.ranks[r].spill->warm_up_slack, Seconds(r));
      EXPECT_EQ(result.ranks[r].spill->spill, Seconds(1.5 - r));
    }
  }
}

// GPipe, P = 2, M = 16, F = 10, B = 20, hops of 9 that overlap computing: rank 1 starts at 19 and turns
// around at 179; rank 0 continues at 208 and ends at 528. Rank 0 idles from 169, when its last output
// arrives, to 199, when the first gradient starts. Rank 1 idles up to 10, when the first output starts, and
// from 508, when its last gradient arrives.
TEST(RankFigures, NeitherEndOfATransferIsIdle) {
  const Result result = evaluated(uniform("gpipe", 2, 16), uniform_costs(10, 10, 10, 9));
  EXPECT_EQ(result.makespan, Seconds(528));
  for (const RankFigures& rank : result.ranks) {
    EXPECT_EQ(rank.busy, Seconds(480));
    EXPECT_EQ(rank.communication, Seconds(16 * 9));
    EXPECT_EQ(rank.idle, Seconds(30));
  }
}

// Returns the time between neighbouring dates in which no event of a rank's list runs.
Seconds uncovered(const std::vector<EventId>& list, const Timeline& timeline, std::uint32_t lane) {
  std::vector<Seconds> dates{Seconds(), timeline.makespan()};
  for (const EventId id : list) {
    dates.push_back(timeline.start.at(id, lane));
    dates.push_back(timeline.end.at(id, lane));
  }
  std::ranges::sort(dates);
  Seconds idle;
  for (std::size_t i = 0; i + 1 < dates.size(); ++i) {
    const bool runs = std::ranges::any_of(list, [&](EventId id) {
      return timeline.start.at(id, lane) <= dates[i] && timeline.end.at(id, lane) >= dates[i + 1];
    });
    if (!runs) idle += dates[i + 1] - dates[i];
  }
  return idle;
}

RC_GTEST_PROP(RankFigures, IdleIsTheTimeThatNoEventOfItsListCovers, ()) {
  const RandomDerivation random = *random_derivation({.replicas = 2, .every_skeleton = true});
  const Derived derived = random.derived();
  const Durations durations = random.priced(derived).durations;
  const Timeline timeline = LongestPath(derived.order).timeline(durations);
  const auto lists = rank_lists(derived.order);
  for (const RankFigures& rank : rank_figures(derived, durations, timeline)) {
    const Seconds idle = uncovered(lists[rank.rank.index()], timeline, rank.replica.index());
    RC_ASSERT(rank.idle >= Seconds());
    RC_ASSERT(std::abs((rank.idle - idle).value()) <= 1e-9 * timeline.makespan().value());
  }
}

// A blocking transfer occupies its sender: nothing else runs there, and no other transfer is sent.
RC_GTEST_PROP(BlockingTransfers, LeaveARankOneByOne, ()) {
  RandomDerivation random = *random_derivation({.replicas = 1, .every_skeleton = true});
  random.options.point_to_point = PointToPoint::Blocking;
  const Derived derived = random.derived();
  const Timeline timeline = LongestPath(derived.order).timeline(random.priced(derived).durations);
  const Seconds rounding = 1e-12 * timeline.makespan();
  for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank) {
    std::vector<std::pair<Seconds, Seconds>> spans;
    for (const EventId id : derived.order.nodes(RankId(rank))) {
      const Event& event = derived.order.event(id);
      if (event.computes() || event.transfers())
        spans.emplace_back(timeline.start.at(id, 0), timeline.end.at(id, 0));
    }
    std::ranges::sort(spans);
    for (std::size_t i = 0; i + 1 < spans.size(); ++i)
      RC_ASSERT(spans[i].second <= spans[i + 1].first + rounding);
  }
}

}  // namespace
}  // namespace spillway::testing
