// The memory of ranks over a step, by hand on small orders. interval_sweep_test.cpp checks random ones.
#include "memory/peak_memory.h"

#include <gtest/gtest.h>

#include "cost/price.h"
#include "memory/memory_text.h"
#include "rank_program.h"
#include "sizes.h"
#include "support/pipelines.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

const ModelState kState{Bytes(1000), Bytes(2000), Bytes(3000)};

Sizes same_for_all(Held held) {
  return {[=](StageId, MicrobatchId, ReplicaId) { return held; }, kState};
}

Timeline timeline_of(const Derived& derived, const Pricing& costs) {
  return LongestPath(derived.order).timeline(price(derived, costs).durations);
}

std::vector<double> totals(const std::vector<PeakMemory>& peaks) {
  std::vector<double> bytes;
  for (const PeakMemory& peak : peaks) bytes.push_back(peak.parts.total().value());
  return bytes;
}

// Returns the live bytes during each event and after it, without the state.
std::vector<double> during_and_after(const Derived& derived, const Footprints& footprints,
                                     std::uint32_t rank = 0) {
  const auto levels = memory_over_time(derived, footprints, each_a_second(derived), ReplicaId(0))[rank];
  const Bytes state = levels.front().total - footprints.workspace(RankId(rank));
  std::vector<double> bytes;
  for (std::size_t i = 1; i < levels.size(); ++i) bytes.push_back((levels[i].total - state).value());
  return bytes;
}

using List = std::vector<double>;

// Rank r holds min(P - r, M) slabs of 10 bytes beside the state. The last forward of the warm-up reaches this
// peak first; it begins on rank r after r + min(P - r, M) - 1 forwards.
TEST(PeakMemory, OneFOneBHoldsPMinusRSlabs) {
  for (std::uint32_t p = 1; p <= 5; ++p) {
    for (std::uint32_t m = 1; m <= 7; ++m) {
      const Derived derived = uniform("1f1b", p, m);
      const Sizes costs = same_for_all({Bytes(10), Bytes(4), Bytes()});
      const std::vector<PeakMemory> peaks = peak_memory(derived, costs, each_a_second(derived));
      ASSERT_EQ(peaks.size(), p);
      for (std::uint32_t rank = 0; rank < p; ++rank) {
        const std::uint32_t slabs = std::min(p - rank, m);
        EXPECT_EQ(peaks[rank].parts.activations, Bytes(10.0 * slabs));
        EXPECT_EQ(peaks[rank].parts.total(), Bytes(6000 + 10.0 * slabs));
        EXPECT_EQ(peaks[rank].rank, RankId(rank));
        EXPECT_EQ(peaks[rank].when, Seconds(rank + slabs - 1.0));
      }
    }
  }
}

TEST(MemoryOverTime, AWholeBackwardFreesAtItsEnd) {
  const Sizes costs = same_for_all({Bytes(10), Bytes(4), Bytes(3)});
  EXPECT_EQ(during_and_after(one_rank(1, "F0.1 F0.2 B0.1 B0.2"), costs),
            (List{10, 10, 20, 20, 23, 10, 13, 0}));
}

TEST(MemoryOverTime, ASplitBackwardFreesInTwoSteps) {
  const Sizes costs = same_for_all({Bytes(10), Bytes(4), Bytes(3)});
  EXPECT_EQ(during_and_after(one_rank(1, "F0.1 I0.1 F0.2 W0.1 I0.2 W0.2"), costs),
            (List{10, 10, 13, 4, 14, 14, 14, 10, 13, 4, 4, 0}));
}

// Output gradients may be larger than the activations they replace. While they are computed, the larger of
// the two counts.
TEST(MemoryOverTime, MoreMayWaitForTheWeightsThanTheForwardKept) {
  const Sizes costs = same_for_all({Bytes(10), Bytes(15), Bytes()});
  EXPECT_EQ(during_and_after(one_rank(1, "F0.1 I0.1 F0.2 W0.1"), costs),
            (List{10, 10, 15, 15, 25, 25, 25, 10}));
}

// A fused event holds the activations of its forward beside those that its backward frees.
TEST(MemoryOverTime, AFusedEventHoldsBoth) {
  const Sizes costs({[](StageId stage, MicrobatchId, ReplicaId) {
                      return stage == StageId(0) ? Held{Bytes(10), Bytes(4), Bytes(3)}
                                                 : Held{Bytes(100), Bytes(40), Bytes(30)};
                    }},
                    {});
  EXPECT_EQ(during_and_after(one_rank(2, "F0.1 F1.1&B0.1 F0.2&B1.1 B0.2"), costs),
            (List{10, 10, 113, 100, 140, 10, 13, 0}));
}

// Stage 0 keeps 10 bytes, 4 of them in one layer; stage 1 100 bytes, 20 of them in one layer. The fused
// passes never hold 6 bytes of the smaller one: it makes or frees them while the larger one frees or makes
// its own.
TEST(MemoryOverTime, AFusedEventMakesAndFreesByLayers) {
  const Sizes costs({[](StageId stage, MicrobatchId, ReplicaId) {
                      return stage == StageId(0) ? Held{Bytes(10), Bytes(4), Bytes(3), {}, {}, Bytes(6)}
                                                 : Held{Bytes(100), Bytes(40), Bytes(30), {}, {}, Bytes(80)};
                    }},
                    {});
  EXPECT_EQ(during_and_after(one_rank(2, "F0.1 F1.1&B0.1 F0.2&B1.1 B0.2"), costs),
            (List{10, 10, 107, 100, 134, 10, 13, 0}));
}

// Two ranks encode four microbatches in turn. An encode holds 7 bytes until its backward after the body,
// which has slabs of 10. Rank 0 holds two of each at once, rank 1 two encodes and one slab.
TEST(MemoryOverTime, ATransposedEncoderIsHeldAcrossTheBody) {
  const Model model({{"enc", Role::Encoder, 1, true}, {"llm", Role::Backbone, 2, true}});
  const Derived derived = derive(model, schedule("transpose,1f1b"), {{1}}, {.pipeline = {2, 4}});
  GivenCosts given = {{uniform_costs(1, 1, 1).blocks[0], uniform_costs(1, 1, 1).blocks[0]}, Seconds()};
  given.blocks[0].activation = Bytes(7);
  given.blocks[0].state = {Bytes(100), Bytes(200), Bytes(300)};
  given.blocks[1].activation = Bytes(10);
  given.blocks[1].state = {Bytes(1000), Bytes(2000), Bytes(3000)};
  const GivenCostModel costs(given, derived);
  EXPECT_EQ(during_and_after(derived, costs, 0), (List{7,  7,  14, 14, 24, 24, 34, 34, 34, 24, 34, 34,
                                                       34, 24, 34, 34, 34, 24, 24, 14, 14, 7,  7,  0}));
  EXPECT_EQ(during_and_after(derived, costs, 1), (List{7,  7,  14, 14, 24, 24, 24, 14, 24, 24, 24, 14,
                                                       24, 24, 24, 14, 24, 24, 24, 14, 14, 7,  7,  0}));
  const auto peaks = peak_memory(derived, costs, timeline_of(derived, costs));
  for (std::uint32_t rank : {0U, 1U}) {
    const MemoryParts& parts = peaks[rank].parts;
    EXPECT_EQ(parts.state, (ModelState{Bytes(1100), Bytes(2200), Bytes(3300)}));
    EXPECT_EQ(parts.transposed, Bytes(14));
    EXPECT_EQ(parts.activations, Bytes(rank == 0 ? 20 : 10));
  }
}

TEST(MemoryOverTime, AFrozenEncoderHoldsNothing) {
  const Model model({{"enc", Role::Encoder, 1, false}, {"llm", Role::Backbone, 2, true}});
  const Derived derived = derive(model, schedule("transpose,1f1b"), {{1}}, {.pipeline = {2, 2}});
  GivenCosts given = {{uniform_costs(1, 1, 1).blocks[0], uniform_costs(1, 1, 1).blocks[0]}, Seconds()};
  given.blocks[0].activation = Bytes(7);
  given.blocks[1].activation = Bytes(10);
  const GivenCostModel costs(given, derived);
  for (const PeakMemory& peak : peak_memory(derived, costs, timeline_of(derived, costs)))
    EXPECT_EQ(peak.parts.transposed, Bytes());
}

// Two ranks encode four microbatches in turn, in 1 s each, with outputs of 7 bytes. All four outputs are on
// rank 0 at 2 s, when its first forward takes the first. Three then wait beside a slab of 10; from 3 s on two
// wait beside two slabs.
TEST(PeakMemory, GatheredOutputsWaitOnTheRankThatNeedsThem) {
  const Model model({{"enc", Role::Encoder, 1, false}, {"llm", Role::Backbone, 2, true}});
  const Derived derived = derive(model, schedule("transpose,1f1b"), {{1}}, {.pipeline = {2, 4}});
  GivenCosts given = {{uniform_costs(1, 1, 1).blocks[0], uniform_costs(1, 1, 1).blocks[0]}, Seconds()};
  given.blocks[0].output = Bytes(7);
  given.blocks[1].activation = Bytes(10);
  const GivenCostModel costs(given, derived);
  const Timeline timeline = timeline_of(derived, costs);
  const auto peaks = peak_memory(derived, costs, timeline);
  EXPECT_EQ(totals(peaks), (List{34, 10}));
  EXPECT_EQ(peaks[0].parts.waiting, Bytes(14));
  EXPECT_EQ(peaks[0].parts.transposed, Bytes());
  EXPECT_EQ(peaks[0].when, Seconds(3));
  List seconds, bytes;
  const auto levels = memory_over_time(derived, costs, timeline, ReplicaId(0));
  for (const MemoryLevel& level : levels[0]) {
    if (level.since > Seconds(3)) break;
    seconds.push_back(level.since.value());
    bytes.push_back(level.total.value());
  }
  EXPECT_EQ(seconds, (List{0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3}));
  EXPECT_EQ(bytes, (List{0, 0, 0, 0, 7, 14, 14, 17, 24, 31, 31, 34}));
}

// Replicas hold different amounts, and each has its own peaks, replica by replica.
TEST(PeakMemory, IsOfEachReplica) {
  const Model model({{"llm", Role::Backbone, 2, true}});
  const Derived derived = derive(model, schedule("1f1b"), {}, {.pipeline = {2, 2, 2}});
  const Sizes costs{[](StageId, MicrobatchId, ReplicaId replica) {
                      return Held{Bytes(replica == ReplicaId(0) ? 10 : 30), Bytes(), Bytes()};
                    },
                    {}};
  const auto peaks = peak_memory(derived, costs, each_a_second(derived));
  EXPECT_EQ(totals(peaks), (List{20, 10, 60, 30}));
  EXPECT_EQ(peaks[2].replica, ReplicaId(1));
}

// There is a level for each start and end of an event, after the level of the state.
TEST(MemoryOverTime, IsTheStepsOnTheClock) {
  const Derived derived = uniform("1f1b", 2, 1);
  const Sizes costs = same_for_all({Bytes(10), Bytes(4), Bytes(3)});
  const auto levels = memory_over_time(derived, costs, each_a_second(derived), ReplicaId(0));
  ASSERT_EQ(levels.size(), 2U);
  List seconds, bytes;
  for (const MemoryLevel& level : levels[1]) {
    seconds.push_back(level.since.value());
    bytes.push_back(level.total.value());
  }
  EXPECT_EQ(seconds, (List{0, 1, 2, 2, 3}));
  EXPECT_EQ(bytes, (List{6000, 6010, 6010, 6013, 6000}));
}

// The peak is the state, from the start on.
TEST(PeakMemory, IsTheStateWhereNothingIsHeld) {
  const Derived derived = uniform("1f1b", 2, 3);
  const Sizes costs = same_for_all({});
  for (const PeakMemory& peak : peak_memory(derived, costs, each_a_second(derived))) {
    EXPECT_EQ(peak.parts.total(), Bytes(6000));
    EXPECT_EQ(peak.when, Seconds(0));
  }
}

// A forward's workspace of 5 lives during the forward, a backward's of 7 beside the 3 that it recomputes.
// Buffers of 100 stay throughout.
TEST(MemoryOverTime, WorkspaceLivesWhileAPassRuns) {
  Sizes costs = same_for_all({Bytes(10), Bytes(4), Bytes(3), Bytes(5), Bytes(7)});
  costs.buffers = Bytes(100);
  EXPECT_EQ(during_and_after(one_rank(1, "F0.1 F0.2 B0.1 B0.2"), costs),
            (List{115, 110, 125, 120, 130, 110, 120, 100}));
  EXPECT_EQ(during_and_after(one_rank(1, "F0.1 I0.1 W0.1"), costs), (List{115, 110, 120, 104, 104, 100}));
  EXPECT_EQ(during_and_after(one_rank(1, "F0.1 F0.2&B0.1 B0.2"), costs),
            (List{115, 110, 135, 110, 120, 100}));
}

// Buffers that stay count before the first event and at the peak even if nothing else is held.
TEST(PeakMemory, CountsTheBuffersThatStay) {
  Sizes costs = same_for_all({});
  costs.buffers = Bytes(100);
  const Derived derived = uniform("1f1b", 2, 2);
  const Timeline timeline = each_a_second(derived);
  for (const PeakMemory& peak : peak_memory(derived, costs, timeline)) {
    EXPECT_EQ(peak.parts.workspace, Bytes(100));
    EXPECT_EQ(peak.parts.total(), Bytes(6100));
  }
  EXPECT_EQ(memory_over_time(derived, costs, timeline, ReplicaId(0))[0].front().total, Bytes(6100));
}

TEST(MemoryText, FourDigitsAndAUnit) {
  EXPECT_EQ(bytes_text(Bytes(71'312'000'000)), "71.31 GB");
  EXPECT_EQ(bytes_text(Bytes(999)), "999 B");
  EXPECT_EQ(bytes_text(Bytes(1500)), "1.5 kB");
  EXPECT_EQ(bytes_text(Bytes(0)), "0 B");
  EXPECT_EQ(bytes_text(Bytes(2.5e15)), "2500 TB");
}

TEST(MemoryText, NamesThePartsThatAreNotZero) {
  MemoryParts parts{.state = {Bytes(1e9), Bytes(), Bytes(3e9)}};
  parts.transposed = Bytes(5e6);
  parts.waiting = Bytes(6e6);
  parts.workspace = Bytes(7e6);
  EXPECT_EQ(parts_text(parts),
            "parameters 1 GB, optimizer 3 GB, transposed 5 MB, waiting 6 MB, workspace 7 MB");
  EXPECT_EQ(parts_text({}), "nothing");
}

}  // namespace
}  // namespace spillway::testing
