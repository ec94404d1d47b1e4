// A sweep's figures against the report's, lane by lane and draw by draw, to the last bit.
#include "timing/step_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "derive/feeding.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "timing/figures.h"
#include "timing/lane_evaluator.h"

namespace spillway::testing {
namespace {

struct Draw {
  Durations counted, free;
};

// Returns costs with other work for every microbatch that has stated work; the first draw keeps its own.
GivenCosts redrawn(GivenCosts costs, std::uint32_t draw) {
  for (BlockProfile& block : costs.blocks)
    for (auto& row : block.work)
      for (std::uint32_t m = 0; m < row.size(); ++m) row[m] *= 1 + 0.3 * ((m * 7 + draw * 3) % 5) * draw;
  return costs;
}

Draw priced(const Derived& derived, const GivenCosts& costs) {
  Durations counted = price(derived, GivenCostModel(costs, derived)).durations;
  Durations free = transposed_free(derived, counted);
  return {std::move(counted), std::move(free)};
}

// Returns the durations of all draws, one draw's lanes after another's.
Durations side_by_side(const std::vector<Draw>& draws, Durations Draw::*of) {
  const std::uint32_t replicas = draws.front().counted.lanes();
  Durations all((draws.front().*of).events(), replicas * static_cast<std::uint32_t>(draws.size()));
  for (std::uint32_t event = 0; event < all.events(); ++event)
    for (std::uint32_t lane = 0; lane < all.lanes(); ++lane)
      all.at(EventId(event), lane) = (draws[lane / replicas].*of).at(EventId(event), lane % replicas);
  return all;
}

// Computes the definitions over the ranks of all replicas, simulated or equal to a simulated one.
StepFigures defined(const std::vector<RankFigures>& ranks, std::uint32_t equal_replicas, Seconds makespan,
                    Seconds exposed) {
  Seconds busy, encoder, slack;
  StepFigures step{makespan};
  for (std::uint32_t copy = 0; copy < equal_replicas; ++copy)
    for (const RankFigures& rank : ranks) busy += rank.busy;
  const auto count = static_cast<double>(ranks.size() * equal_replicas);
  if (makespan > Seconds()) step.bubble_fraction = 1 - busy / (makespan * count);
  const auto span = [](const RankFigures& rank) { return rank.last_end - rank.first_start; };
  const auto longest = std::ranges::max_element(ranks, {}, span);
  if (span(*longest) > Seconds()) step.bubble_rate = 1 - longest->busy / span(*longest);
  if (!ranks.front().spill) return step;
  step.spill = {{}, exposed, 0};
  std::vector<std::pair<Seconds, Seconds>> of_replicas;
  for (std::size_t first = 0; first < ranks.size();) {
    Seconds encoder_of_replica, slack_of_replica;  // sums round replica by replica
    const ReplicaId replica = ranks[first].replica;
    for (; first < ranks.size() && ranks[first].replica == replica; ++first) {
      step.spill->max_spill = std::max(step.spill->max_spill, ranks[first].spill->spill);
      encoder_of_replica += ranks[first].spill->encoder;
      slack_of_replica += ranks[first].spill->warm_up_slack;
    }
    of_replicas.emplace_back(encoder_of_replica, slack_of_replica);
  }
  for (std::uint32_t copy = 0; copy < equal_replicas; ++copy)
    for (const auto& [encoder_of_replica, slack_of_replica] : of_replicas)
      encoder += encoder_of_replica, slack += slack_of_replica;
  if (encoder > Seconds()) step.spill->encoder_to_bubble = encoder / slack;
  return step;
}

// Returns evaluate()'s figures of one draw, and checks that they match the definitions.
StepFigures reported(const Derived& derived, const Draw& draw, std::uint32_t equal_replicas) {
  const LongestPath path(derived.order);
  const Timeline timeline = path.timeline(draw.counted), free = path.timeline(draw.free);
  const std::vector<RankFigures> ranks = rank_figures(derived, draw.counted, timeline);
  const PathEnds ends{timeline.makespan(), free.makespan()};
  const std::optional<PathEnds> spilling = feeding_of(derived) ? std::optional(ends) : std::nullopt;
  const StepFigures step = step_figures(ranks, ends.counted, spilling, equal_replicas);
  RC_ASSERT(step == defined(ranks, equal_replicas, ends.counted, ends.counted - ends.free));
  return step;
}

Durations cut_out(const Durations& all, std::uint32_t first, std::uint32_t count) {
  Durations some(all.events(), count);
  for (std::uint32_t event = 0; event < all.events(); ++event)
    for (std::uint32_t lane = 0; lane < count; ++lane)
      some.at(EventId(event), lane) = all.at(EventId(event), first + lane);
  return some;
}

// Returns the figures of every lane; `free` has one lane, or as many as `counted`.
std::vector<LaneFigures> lanes_of(const LaneEvaluator& evaluator, const Durations& counted,
                                  const Durations& free) {
  LiveEnds ends;
  HeldRows counted_rows(counted, 0, counted.lanes()), free_rows(free, 0, free.lanes());
  return evaluator.figures(
      counted_rows, evaluator.spills() ? evaluator.free_lanes(free_rows, ends) : std::vector<FreeLane>{},
      ends);
}

// Returns the figures of every lane, one group of replicas that compute together at a time.
std::vector<LaneFigures> by_groups(const Derived& derived, const Durations& counted, const Durations& free) {
  std::uint32_t group = 1;
  for (const Event& event : derived.order.events())
    if (event.computes()) group = std::lcm(group, event.joined_replicas);
  const LaneEvaluator evaluator(derived);
  std::vector<LaneFigures> all;
  for (std::uint32_t first = 0; first < counted.lanes(); first += group) {
    const Durations own_free = free.lanes() == 1 ? free : cut_out(free, first, group);
    for (LaneFigures& lane : lanes_of(evaluator, cut_out(counted, first, group), own_free))
      all.push_back(std::move(lane));
  }
  return all;
}

void expect_reported(const Derived& derived, const std::vector<Draw>& draws, const Durations& free) {
  const std::uint32_t replicas = derived.pipeline.replicas;
  const std::uint32_t equal_replicas = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 4));
  const Durations counted = side_by_side(draws, &Draw::counted);
  for (const std::vector<LaneFigures>& lanes :
       {lanes_of(LaneEvaluator(derived), counted, free), by_groups(derived, counted, free)}) {
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

// Draws differ only in the transposed work, so one free lane serves all of them.
RC_GTEST_PROP(LaneEvaluator, TakesOneFreeLaneForAll, ()) {
  RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived one = random.derived();
  const std::optional<Feeding> feeding = feeding_of(one);
  for (std::uint32_t region = 0; region < one.regions.size(); ++region)
    for (std::size_t block = 0; block < random.blocks.size(); ++block)
      if (!feeding || !feeding->is_transposed(RegionId(region)))
        if (one.model.part_of(block, one.regions[region].layers).size() > 0)
          random.costs.blocks[block].work.clear();
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
  const Model model({{"a", Role::Backbone, 1, true}, {"b", Role::Backbone, 2, true}});
  const Derived derived = derive(model, schedule("transpose,1f1b"), {{1}}, {.pipeline = {2, 2}});
  const std::size_t events = derived.order.event_count();
  const LaneEvaluator evaluator(derived), pipelined(uniform("1f1b", 2, 2));
  const std::vector<FreeLane> two(2);
  LiveEnds ends;
  const auto rows = [](const Durations& durations) { return HeldRows(durations, 0, durations.lanes()); };
  const Durations of_three(events, 3), short_of_one(events - 1, 2),
      other(uniform("1f1b", 2, 2).order.event_count(), 2), one(events, 1);
  HeldRows three = rows(of_three), fewer = rows(short_of_one), others = rows(other), single = rows(one);
  EXPECT_THROW(evaluator.figures(three, two, ends), ContractBreach);
  EXPECT_THROW(evaluator.figures(three, {}, ends), ContractBreach);
  EXPECT_THROW(evaluator.figures(fewer, two, ends), ContractBreach);
  EXPECT_THROW(pipelined.figures(others, two, ends), ContractBreach);
  EXPECT_THROW(pipelined.free_lanes(single, ends), ContractBreach);
}

TEST(StepFigures, OfNoWorkHaveNoBubble) {
  LaneFigures idle{};
  for (int rank = 0; rank < 2; ++rank) add({}, idle);
  EXPECT_EQ(step_figures({&idle, 1}, 3), (StepFigures{}));
  EXPECT_THROW(step_figures({}, 1), ContractBreach);
}

}  // namespace
}  // namespace spillway::testing
