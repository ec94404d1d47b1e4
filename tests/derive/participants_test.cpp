// Checks which ranks take part in a reduction, and how many replicas in a computing event.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "support/property.h"
#include "support/random_derivation.h"

namespace spillway::testing {
namespace {

// Returns true if the rank holds a copy of the layers that are reduced.
bool holds_a_copy(const Derived& derived, RankId rank, const Stage& reduced) {
  return std::any_of(derived.stages.begin(), derived.stages.end(), [&](const Stage& stage) {
    return stage.rank == rank && stage.region == reduced.region &&
           stage.layers.first == reduced.layers.first && stage.layers.end == reduced.layers.end;
  });
}

RC_GTEST_PROP(Participants, AReductionIsOfEveryRankThatHoldsACopyAndOfNoOther, ()) {
  const RandomDerivation random = *random_derivation({.ranks = 6, .every_skeleton = true});
  const Derived derived = random.derived();
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    if (event.kind != EventKind::DpReduce) continue;
    for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) {
      const auto nodes = derived.order.nodes(RankId(rank));
      const auto listed = std::count(nodes.begin(), nodes.end(), EventId(id));
      RC_ASSERT(listed == holds_a_copy(derived, RankId(rank), derived.stage(event.stage)));
    }
  }
}

// DualPipe holds every stage twice: rank r and rank P-1-r reduce it together, in both directions.
TEST(Reductions, OfDualPipeAreOfBothHolders) {
  const Derived derived =
      derive(Model({{"llm", Role::Backbone, 4, true}}), schedule("dualpipe"), {}, {.pipeline = {4, 8, 2}});
  std::multiset<std::pair<std::uint32_t, std::uint32_t>> found;  // rank, stage
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    for (const EventId id : derived.order.nodes(RankId(rank))) {
      const Event& event = derived.order.event(id);
      if (event.kind == EventKind::DpReduce) found.insert({rank, derived.stage(event.stage).index});
    }
  }
  const std::multiset<std::pair<std::uint32_t, std::uint32_t>> both = {{0, 0}, {0, 3}, {1, 1}, {1, 2},
                                                                       {2, 1}, {2, 2}, {3, 0}, {3, 3}};
  EXPECT_EQ(found, both);
}

RC_GTEST_PROP(Participants, AStageJoinsAsManyReplicasAsItsGreediestBlock, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  RC_PRE(!random.options.joined_replicas.empty());
  for (const Event& event : derived.order.events()) {
    std::uint32_t most = 1;
    const bool two = event.kind == EventKind::ForwardBackward;  // each of its stages waits for its replicas
    for (const StageId stage : {event.stage, two ? event.peer_stage : event.stage}) {
      const LayerRange layers = derived.stage(stage).layers;
      for (std::size_t block = 0; block < random.blocks.size(); ++block) {
        const LayerRange own = derived.model.layers_of(block);
        const bool meets = own.first < layers.end && layers.first < own.end;
        if (meets) most = std::max(most, random.options.joined_replicas[block]);
      }
    }
    const bool all = event.kind == EventKind::DpReduce || event.kind == EventKind::StepBarrier;
    RC_ASSERT(event.joined_replicas == (all ? derived.pipeline.replicas : event.computes() ? most : 1));
  }
}

}  // namespace
}  // namespace spillway::testing
