// Checks placement, names and dependencies of regions with several stages on a rank, two directions, or
// split backwards.
#include <gtest/gtest.h>

#include "schedule/placed_orders.h"
#include "support/order_text.h"
#include "support/pipelines.h"

namespace spillway::testing {
namespace {

using Lines = std::vector<std::string>;

// Returns "rank:first-end" of every stage, in layer order.
Lines placed(const Derived& derived, std::size_t region) {
  Lines lines;
  for (StageId id : std::get<ByLayer>(derived.placement[region].owner).stages) {
    const Stage& stage = derived.stage(id);
    lines.push_back(std::to_string(stage.rank.index()) + ':' + std::to_string(stage.layers.first) + '-' +
                    std::to_string(stage.layers.end));
  }
  return lines;
}

TEST(Folds, LayTheStagesDownAndUpTheRanks) {
  EXPECT_EQ(placed(uniform("zb-v", 2, 3), 0), (Lines{"0:0-1", "1:1-2", "1:2-3", "0:3-4"}));
  EXPECT_EQ(placed(uniform("wave(2)", 2, 3), 0),
            (Lines{"0:0-1", "1:1-2", "1:2-3", "0:3-4", "0:4-5", "1:5-6", "1:6-7", "0:7-8"}));
}

TEST(Folds, HoldEveryStageTwiceWhereMicrobatchesComeFromBothEnds) {
  EXPECT_EQ(placed(uniform("dualpipe", 2, 4), 0), (Lines{"0:0-1", "1:0-1", "1:1-2", "0:1-2"}));
}

// On rank 0, chunk 0 is the first stage and chunk 1 the last, which turns round at the loss without a
// transfer.
TEST(Folds, TurnRoundOnARank) {
  const Derived derived = uniform("zb-v", 2, 1);
  EXPECT_EQ(computing_lines(derived, 0),
            (Lines{"Fwd(llm:0,0,1)", "Fwd(llm:3,0,1)", "BwdInput(llm:3,0,1)", "BwdWeight(llm:3,0,1)",
                   "BwdInput(llm:0,0,1)", "BwdWeight(llm:0,0,1)"}));
  const Lines lines = edge_lines(derived);
  for (const char* edge :
       {"Fwd(llm:1,1,1) -Activation-> Coll(Send,llm:1-2,1)", "Fwd(llm:3,0,1) -Activation-> Loss(1)",
        "Loss(1) -Turnaround-> BwdInput(llm:3,0,1)", "BwdInput(llm:3,0,1) -Gradient-> BwdWeight(llm:3,0,1)",
        "BwdWeight(llm:3,0,1) -Accumulate-> DpReduce(llm:3,DataGroup)"})
    EXPECT_EQ(std::count(lines.begin(), lines.end(), edge), 1) << edge;
}

// Odd microbatches enter at rank 0, even ones at the last rank; both copies of a stage meet in one reduce.
TEST(Folds, BothWaysMeetInTheReduce) {
  const Derived derived = uniform("dualpipe", 2, 4);
  const Lines lines = edge_lines(derived);
  for (const char* edge : {"Fwd(llm:0,0,1) -Activation-> Coll(Send,llm:0-1,1)",
                           "Fwd(llm:0,1,2) -Activation-> Coll(Send,llm:0-1,2)"})
    EXPECT_EQ(std::count(lines.begin(), lines.end(), edge), 1) << edge;
  for (const Event& event : derived.order.events()) {
    if (event.kind != EventKind::DpReduce) continue;
    EXPECT_EQ(event.rank.index() + event.peer_rank.index(), 1U);
  }
}

PlacedOrders as_listed(const char* text, const RunShape& shape) {
  const Skeleton skeleton = schedule(text).skeletons.front();
  return placed_orders(to_action_lists(skeleton, shape, rank_orders(skeleton, shape)));
}

Derived listed(const PlacedOrders& orders, std::uint32_t ranks, std::uint32_t microbatches) {
  const auto stages = static_cast<std::uint32_t>(orders.stage_rank.size());
  return derive(Model({{"llm", Role::Backbone, stages, true}}), {{listed_skeleton(orders)}}, {},
                {.pipeline = {ranks, microbatches}});
}

TEST(Listed, IsTheSkeletonItWasListedFrom) {
  for (const char* text : {"1f1b", "gpipe", "zb-h1", "zb-2p", "zb-v", "v-min", "wave(2)", "dualpipev"}) {
    const Skeleton skeleton = schedule(text).skeletons.front();
    const Derived by_name = uniform(text, 3, 7);
    const Derived by_list = listed(as_listed(text, {3, 7, chunks_of(skeleton), 3}), 3, 7);
    EXPECT_EQ(sorted(edge_lines(by_list)), sorted(edge_lines(by_name))) << text;
  }
}

// A whole backward equals a split one whose halves follow each other and whose second half takes no time.
TEST(Listed, SplittingABackwardWithoutWeightsChangesNoTime) {
  const RunShape shape{4, 9, 1, 4};
  PlacedOrders split = as_listed("1f1b", shape);
  for (RankOrder& order : split.orders) {
    RankOrder halves;
    for (Slot slot : order) {
      if (slot.action == Action::Backward) {
        slot.action = Action::BackwardInput;
        halves.push_back(slot);
        slot.action = Action::BackwardWeight;
      }
      halves.push_back(slot);
    }
    order = std::move(halves);
  }
  const GivenCosts costs = uniform_costs(1.25, 2.5, 0, 0.125);
  EXPECT_DOUBLE_EQ(makespan(listed(split, 4, 9), costs), makespan(uniform("1f1b", 4, 9), costs));
}

}  // namespace
}  // namespace spillway::testing
