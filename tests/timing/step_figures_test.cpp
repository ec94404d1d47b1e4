// A sweep's figures against the report's, lane by lane and draw by draw, to the last bit.
#include "timing/step_figures.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/property.h"
#include "support/random_derivation.h"
#include "timing/figures.h"

namespace spillway::testing {
namespace {

struct Draw {
  Durations counted, free, encoder_forwards;
};

// Other work for every microbatch of the blocks that have any; the first draw keeps its own.
GivenCosts redrawn(GivenCosts costs, std::uint32_t draw) {
  for (BlockProfile& block : costs.blocks)
    for (auto& row : block.work)
      for (std::uint32_t m = 0; m < row.size(); ++m) row[m] *= 1 + 0.3 * ((m * 7 + draw * 3) % 5) * draw;
  return costs;
}

Draw priced(const Derived& derived, const GivenCosts& costs) {
  const GivenCostModel model(costs);
  Durations counted = price(derived, model).durations;
  Durations free = price(derived, model, EncoderWork::Free).durations;
  Durations encoder = encoder_forwards(derived, model, counted, free);
  return {std::move(counted), std::move(free), std::move(encoder)};
}

// One draw after another.
Durations side_by_side(const std::vector<Draw>& draws, Durations Draw::*of) {
  const std::uint32_t replicas = draws.front().counted.lanes();
  Durations all((draws.front().*of).events(), replicas * static_cast<std::uint32_t>(draws.size()));
  for (std::uint32_t event = 0; event < all.events(); ++event)
    for (std::uint32_t lane = 0; lane < all.lanes(); ++lane)
      all.at(EventId(event), lane) = (draws[lane / replicas].*of).at(EventId(event), lane % replicas);
  return all;
}

// The sum over replicas of their sums over ranks.
Seconds of_all(const std::vector<RankFigures>& ranks, const Derived& derived, Seconds RankFigures::*figure) {
  Seconds sum;
  for (std::size_t first = 0; first < ranks.size(); first += derived.pipeline.ranks) {
    Seconds replica;
    for (std::size_t rank = 0; rank < derived.pipeline.ranks; ++rank) replica += ranks[first + rank].*figure;
    sum += replica;
  }
  return sum;
}

// What evaluate() reports of one draw.
StepFigures reported(const Derived& derived, const Draw& draw, std::uint32_t equal_replicas) {
  const LongestPath path(derived.order);
  const Timeline timeline = path.timeline(draw.counted), free = path.timeline(draw.free);
  const std::vector<RankFigures> once =
      rank_figures(derived, draw.counted, draw.encoder_forwards, timeline, draw.free, free);
  std::vector<RankFigures> ranks;
  for (std::uint32_t copy = 0; copy < equal_replicas; ++copy)
    ranks.insert(ranks.end(), once.begin(), once.end());
  StepFigures figures{timeline.makespan(), bubble_fraction(ranks, timeline.makespan()), {}, {}, 0};
  for (const RankFigures& rank : ranks) figures.max_spill = std::max(figures.max_spill, rank.spill);
  figures.exposed_encoder = timeline.makespan() - free.makespan();
  figures.encoder_to_bubble = encoder_to_bubble(of_all(once, derived, &RankFigures::encoder),
                                                of_all(once, derived, &RankFigures::warmup_slack));
  return figures;
}

Durations cut_out(const Durations& all, std::uint32_t first, std::uint32_t count) {
  Durations some(all.events(), count);
  for (std::uint32_t event = 0; event < all.events(); ++event)
    for (std::uint32_t lane = 0; lane < count; ++lane)
      some.at(EventId(event), lane) = all.at(EventId(event), first + lane);
  return some;
}

// A group of replicas that compute together at a time.
std::vector<LaneFigures> by_groups(const Derived& derived, const PricedLanes& priced) {
  std::uint32_t group = 1;
  for (const Event& event : derived.order.events())
    if (event.computes()) group = std::lcm(group, event.joined_replicas);
  const LaneEvaluator evaluator(derived);
  std::vector<LaneFigures> all;
  for (std::uint32_t first = 0; first < priced.counted.lanes(); first += group) {
    const bool one_free = priced.free.lanes() == 1;
    for (LaneFigures& lane : evaluator.figures({cut_out(priced.counted, first, group),
                                                one_free ? priced.free : cut_out(priced.free, first, group),
                                                cut_out(priced.encoder_forwards, first, group)}))
      all.push_back(std::move(lane));
  }
  return all;
}

void expect_reported(const Derived& derived, const std::vector<Draw>& draws, const Durations& free) {
  const std::uint32_t replicas = derived.pipeline.replicas;
  const std::uint32_t equal_replicas = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 4));
  const PricedLanes priced{side_by_side(draws, &Draw::counted), free,
                           side_by_side(draws, &Draw::encoder_forwards)};
  for (const std::vector<LaneFigures>& lanes :
       {LaneEvaluator(derived).figures(priced), by_groups(derived, priced)}) {
    RC_ASSERT(lanes.size() == draws.size() * replicas);
    for (std::size_t draw = 0; draw < draws.size(); ++draw)
      RC_ASSERT(step_figures(std::span(lanes).subspan(draw * replicas, replicas), equal_replicas) ==
                reported(derived, draws[draw], equal_replicas));
  }
}

RC_GTEST_PROP(LaneEvaluator, SaysWhatTheReportSays, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  std::vector<Draw> draws;
  const std::uint32_t count = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 12));
  for (std::uint32_t draw = 0; draw < count; ++draw)
    draws.push_back(priced(derived, redrawn(random.costs, draw)));
  expect_reported(derived, draws, side_by_side(draws, &Draw::free));
}

// Only the encoders' work differs.
RC_GTEST_PROP(LaneEvaluator, TakesOneFreeLaneForAll, ()) {
  RandomDerivation random = *random_derivation({.every_skeleton = true});
  for (std::size_t block = 0; block < random.blocks.size(); ++block)
    if (random.blocks[block].role != Role::Encoder) random.costs.blocks[block].work.clear();
  const Derived derived = random.derived();
  std::vector<Draw> draws;
  for (std::uint32_t draw = 0; draw < 9; ++draw)
    draws.push_back(priced(derived, redrawn(random.costs, draw)));
  Durations free(derived.order.event_count(), 1);
  for (std::uint32_t event = 0; event < free.events(); ++event)
    free.at(EventId(event), 0) = draws.front().free.at(EventId(event), 0);
  expect_reported(derived, draws, free);
}

TEST(LaneEvaluator, HoldsItsContract) {
  const Derived derived = uniform("1f1b", 2, 2);
  const std::size_t events = derived.order.event_count();
  const LaneEvaluator evaluator(derived);
  EXPECT_THROW(evaluator.figures({Durations(events, 3), Durations(events, 2), Durations(events, 3)}),
               ContractBreach);
  EXPECT_THROW(evaluator.figures({Durations(events, 3), Durations(events, 1), Durations(events, 1)}),
               ContractBreach);
  EXPECT_THROW(
      evaluator.figures({Durations(events - 1, 1), Durations(events - 1, 1), Durations(events - 1, 1)}),
      ContractBreach);
}

TEST(StepFigures, OfNoWorkHaveNoBubble) {
  const LaneFigures idle{{}, {}, {}, {}, {}, {Seconds(), Seconds()}};
  EXPECT_EQ(step_figures({&idle, 1}, 3), (StepFigures{}));
  EXPECT_THROW(step_figures({}, 1), ContractBreach);
}

}  // namespace
}  // namespace spillway::testing
