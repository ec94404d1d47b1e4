// Peak activations against the closed forms of the literature, in units of a rank's whole slab for one
// microbatch.
#include "memory/activations.h"

#include <gtest/gtest.h>

#include "rank_program.h"
#include "support/pipelines.h"

namespace spillway::testing {
namespace {

void expect_peaks(const Derived& derived, const std::vector<double>& expected) {
  const std::vector<double> found = peak_activations(derived);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t rank = 0; rank < found.size(); ++rank)
    EXPECT_NEAR(found[rank], expected[rank], 1e-12) << "rank " << rank;
}

// Narayanan et al. 2021: at most P - r microbatches are in flight on rank r.
TEST(PeakActivations, OneFOneBHoldsPMinusR) {
  for (std::uint32_t p = 1; p <= 8; ++p) {
    for (std::uint32_t m = 1; m <= 12; ++m) {
      std::vector<double> expected;
      for (std::uint32_t rank = 0; rank < p; ++rank) expected.push_back(std::min(p - rank, m));
      expect_peaks(uniform("1f1b", p, m), expected);
    }
  }
}

TEST(PeakActivations, GPipeHoldsEverything) {
  for (std::uint32_t m : {1U, 3U, 8U}) {
    expect_peaks(uniform("gpipe", 4, m), std::vector<double>(4, m));
    expect_peaks(uniform("gpipe,gpipe", 4, m), std::vector<double>(4, m));
  }
}

// Korthikanti et al. 2022 (https://arxiv.org/abs/2205.05198), section 4.2.3: the first rank of interleaved
// 1F1B holds 1 + (P-1)/(Pv) times the P of 1F1B. Rank r runs 2(P-r-1) + (v-1)P chunks ahead and holds one
// more.
TEST(PeakActivations, InterleavingHoldsAFractionMore) {
  std::string text = "1f1b";
  for (std::uint32_t v = 2; v <= 4; ++v) {
    text += ",1f1b";
    for (std::uint32_t p = 2; p <= 6; ++p) {
      const std::vector<double> found = peak_activations(uniform(text, p, 4 * p));
      EXPECT_NEAR(found[0], p * (1 + (p - 1.0) / (p * v)), 1e-12);
      for (std::uint32_t rank = 0; rank < p; ++rank) {
        EXPECT_NEAR(found[rank], (2.0 * (p - rank - 1) + (v - 1.0) * p + 1) / v, 1e-12) << "rank " << rank;
      }
    }
  }
}

// The unit is the rank's own slab, however the layers are split.
TEST(PeakActivations, AnUnevenSplitCountsSlabs) {
  const Model model({{"llm", Role::Backbone, 12, true}});
  expect_peaks(derive(model, schedule("1f1b"), {}, {.pipeline = {4, 8}, .layers_per_rank = {5, 3, 2, 2}}),
               {4, 3, 2, 1});
}

// Two interleaved chunks have one and three layers. Rank 1 of 2 holds 1/4 + 1/4 + 3/4 after F1.0 F2.0 F1.1.
TEST(PeakActivations, ChunksWeighByTheirLayers) {
  const Model model({{"llm", Role::Backbone, 8, true}});
  const Derived derived = derive(model, schedule("1f1b,1f1b"), {{2}}, {.pipeline = {2, 2}});
  expect_peaks(derived, {2, 1.25});
}

// The layers of the same two chunks hold 3 and 1. A slab is 3 + 3 on each rank, so rank 1 holds 1/2 + 1/2 +
// 1/2. Where layers hold nothing, the peak is 0.
TEST(PeakActivations, ChunksWeighByWhatTheirLayersHold) {
  const Model model({{"a", Role::Backbone, 2, true}, {"b", Role::Backbone, 6, true}});
  const Derived derived = derive(model, schedule("1f1b,1f1b"), {{2}}, {.pipeline = {2, 2}});
  const std::vector<double> found = peak_activations(derived, {{3, 1}, {1, 1}});
  EXPECT_NEAR(found[0], 2, 1e-12);
  EXPECT_NEAR(found[1], 1.5, 1e-12);
  EXPECT_EQ(peak_activations(derived, {{0, 0}, {0, 0}}), (std::vector<double>{0, 0}));
}

// A region without a backward keeps nothing, and a transposed region is not counted. With a frozen first
// chunk of two interleaved ones, rank 0 runs F1.1 F2.1 before B1.1, and rank 1 only F1.1.
TEST(PeakActivations, OnlyPipelinedRegionsWithABackwardCount) {
  const Model frozen_encoder({{"enc", Role::Encoder, 4, false}, {"llm", Role::Backbone, 4, true}});
  expect_peaks(derive(frozen_encoder, schedule("1f1b,1f1b"), {{4}}, {.pipeline = {2, 4}}), {2, 1});
  expect_peaks(derive(frozen_encoder, schedule("transpose,1f1b"), {{4}}, {.pipeline = {2, 4}}), {2, 1});
  const Model frozen({{"llm", Role::Backbone, 4, false}});
  expect_peaks(derive(frozen, schedule("1f1b"), {}, {.pipeline = {2, 4}}), {0, 0});
}

// A split backward leaves 4 of 10 bytes to the weight gradient: F F I F W I ... holds 1, 2, then 1.4 and 2.4.
TEST(PeakActivations, ASplitBackwardLeavesAPart) {
  const Derived derived = one_rank(1, "F0.1 F0.2 I0.1 F0.3 W0.1 I0.2 W0.2 I0.3 W0.3");
  EXPECT_NEAR(peak_activations(derived, {{10, 4}})[0], 2.4, 1e-12);
  EXPECT_NEAR(peak_activations(derived)[0], 2.5, 1e-12);
  EXPECT_NEAR(peak_activations(derived, {{10, 10}})[0], 3, 1e-12);
}

// A frozen layer behind a trained one computes only input gradients, which free all that it holds. Rank 1 of
// a half-frozen region runs F F I F ... and holds 1, 2, then 1.25 and 2.25.
TEST(PeakActivations, AFrozenLayerLeavesNothingToWeightGradients) {
  const Model frozen_backbone({{"enc", Role::Encoder, 3, true}, {"llm", Role::Backbone, 3, false}});
  expect_peaks(derive(frozen_backbone, schedule("transpose,zb-h1"), {{3}}, {.pipeline = {3, 6}}), {3, 2, 1});
  expect_peaks(derive(frozen_backbone, schedule("zb-h1"), {}, {.pipeline = {3, 6}}), {3, 2.25, 1});
}

// A forward runs while the backward fused with it still needs its activations.
TEST(PeakActivations, AFusedEventHoldsBoth) {
  EXPECT_NEAR(peak_activations(one_rank(2, "F0.1 F1.1&B0.1 F0.2&B1.1 B0.2"))[0], 1, 1e-12);
  EXPECT_NEAR(peak_activations(one_rank(2, "F0.1 B0.1 F1.1 B1.1"))[0], 0.5, 1e-12);
}

}  // namespace
}  // namespace spillway::testing
