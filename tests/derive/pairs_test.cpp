// Pairs of a forward and another microbatch's backward whose stages lie in different regions.
#include <gtest/gtest.h>

#include <map>

#include "support/order_text.h"
#include "support/pipelines.h"

namespace spillway::testing {
namespace {

Derived overlapped(std::vector<Block> blocks, Cut cut, Pipeline pipeline) {
  return derive(Model(std::move(blocks)), schedule("1f1b-overlap,1f1b-overlap"), std::move(cut),
                {.pipeline = pipeline});
}

// By stage and microbatch: forwards, and backwards.
using Counts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<int, int>>;

Counts passes_of(const Derived& derived) {
  Counts counts;
  for (const Event& event : derived.order.events()) {
    if (event.runs_forward()) ++counts[{event.stage.index(), event.microbatch.index()}].first;
    if (event.kind == EventKind::Backward) ++counts[{event.stage.index(), event.microbatch.index()}].second;
    if (event.kind == EventKind::ForwardBackward)
      ++counts[{event.peer_stage.index(), event.peer_microbatch.index()}].second;
  }
  return counts;
}

TEST(Pairs, RunEveryPassOnceInEveryRegion) {
  const Derived derived = overlapped({{"llm", Role::Backbone, 8, true}}, {{4}}, {2, 6});
  const Counts counts = passes_of(derived);
  EXPECT_EQ(counts.size(), 4U * 6U);
  for (const auto& [visit, passes] : counts) EXPECT_EQ(passes, std::pair(1, 1));
}

// The first region is frozen and has no backward: its forwards still run beside the second region's
// backwards, and forwards that would run beside its own run alone.
TEST(Pairs, LeaveOutBackwardsOfAFrozenRegion) {
  const Derived derived =
      overlapped({{"enc", Role::Encoder, 4, false}, {"llm", Role::Backbone, 4, true}}, {{4}}, {2, 6});
  int together = 0;
  for (const auto& [visit, passes] : passes_of(derived))
    EXPECT_EQ(passes, std::pair(1, visit.first < 2 ? 0 : 1)) << "stage " << visit.first;
  for (const Event& event : derived.order.events()) {
    if (event.kind != EventKind::ForwardBackward) continue;
    ++together;
    EXPECT_GE(event.peer_stage.index(), 2U);
  }
  EXPECT_GT(together, 6);
}

TEST(Pairs, OfOneRankAreMegatronsWithoutPipelining) {
  EXPECT_EQ(computing_lines(uniform("1f1b-overlap", 1, 3), 0),
            (std::vector<std::string>{"Fwd(llm,0,1)", "FwdBwd(llm,0,2,llm,1)", "FwdBwd(llm,0,3,llm,2)",
                                      "Bwd(llm,0,3)"}));
}

// A pair takes as long as its passes one after the other where nothing hides: interleaved 1F1B's bubble, and
// one more chunk of activations.
TEST(Pairs, WithoutOverlapCostWhatTheClosedFormSays) {
  const Derived pairs = overlapped({{"llm", Role::Backbone, 8, true}}, {{4}}, {2, 8});
  const GivenCosts costs = uniform_costs(1, 1, 1, 0);
  EXPECT_NEAR(makespan(pairs, costs), (2 * 8 + 1) * 2 * 3, 1e-9);
}

}  // namespace
}  // namespace spillway::testing
