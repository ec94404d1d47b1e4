// Nothing is lost between a trace and a draw: a draw packs a sample's contents or counts them as dropped.
#include "workload/tally.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "specs.h"
#include "support/property.h"
#include "workload/sample_source.h"

namespace spillway {
namespace {

// Passes to `read` one to four random values in ascending order, with cumulative shares in any proportion.
template <class Read>
void random_distribution(std::uint32_t least, std::uint32_t most, Read read) {
  std::vector<std::uint32_t> values, weights;
  for (std::uint32_t n = *rc::gen::inRange<std::uint32_t>(1, 5); n > 0; --n) {
    values.push_back(*rc::gen::inRange(least, most));
    weights.push_back(*rc::gen::inRange<std::uint32_t>(1, 10));
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  weights.resize(values.size());
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> cumulative;
  for (double sum = 0; const std::uint32_t weight : weights) cumulative.push_back((sum += weight) / total);
  cumulative.back() = 1.0;
  read(values, cumulative);
}

// Makes a workload with any trace, packing and limits. Patches make whole tokens, as after the resize rule.
WorkloadSpec random_workload() {
  WorkloadSpec spec;
  random_distribution(0, 3000, [&](auto values, auto cumulative) {
    for (std::uint32_t& patches : values) patches *= spec.patches.patches_per_token;
    spec.patches.patches = values;
    spec.patches.cumulative = cumulative;
  });
  const auto into = [](Histogram& histogram) {
    return [&](auto values, auto cumulative) { histogram = {values, cumulative}; };
  };
  random_distribution(0, 6, into(spec.images_per_sample));
  random_distribution(0, 3000, into(spec.text_tokens));
  spec.text_only_share = *rc::gen::elementOf(std::vector{0.0, 0.3, 1.0});
  spec.packing = *rc::gen::elementOf(std::vector{Packing::Packed, Packing::Unpacked});
  spec.sequence_tokens = *rc::gen::inRange<std::uint32_t>(1, 9000);
  spec.samples_per_microbatch = *rc::gen::inRange<std::uint32_t>(1, 9);
  if (*rc::gen::arbitrary<bool>()) spec.max_patches = *rc::gen::inRange<std::uint32_t>(0, 20000);
  return spec;
}

struct Brought {
  std::uint64_t images = 0;
  std::uint64_t tokens = 0;

  friend bool operator==(const Brought&, const Brought&) = default;
};

// Returns the contents of the first `samples` samples of a replica's stream.
Brought brought(const WorkloadSpec& spec, std::uint64_t seed, std::uint32_t replica, std::uint64_t samples) {
  SampleSource source(spec, {0, 0, seed, 0}, replica);
  Brought all;
  for (; samples > 0; --samples) {
    const Sample sample = source.next();
    all.images += sample.media.size();
    all.tokens += sample.text_tokens;
    for (const MediaItem& item : sample.media) all.tokens += item.tokens;
  }
  return all;
}

RC_GTEST_PROP(Tally, WhatSamplesBringIsPackedOrDropped, ()) {
  const WorkloadSpec spec = random_workload();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Draw draw = sample(spec, {4, 2, seed, 0});
  for (std::uint32_t replica = 0; replica < 2; ++replica) {
    const WorkloadTally counted = tally(Draw{draw[replica]});
    RC_ASSERT(
        (Brought{counted.images + counted.dropped_images, counted.useful_tokens + counted.dropped_tokens}) ==
        brought(spec, seed, replica, counted.samples));
  }
}

RC_GTEST_PROP(Tally, AMicrobatchLosesOnlyWhatHasNoRoom, ()) {
  const WorkloadSpec spec = random_workload();
  const Draw draw = sample(spec, {4, 1, *rc::gen::arbitrary<std::uint64_t>(), 0});
  for (const MicrobatchLoad& load : draw[0]) {
    const WorkloadTally counted = tally(load);
    RC_ASSERT(counted.clipped_samples <= counted.samples);
    RC_ASSERT(counted.dropped_images == 0u || counted.clipped_samples > 0u);
    RC_ASSERT((counted.dropped_tokens > 0) == (counted.clipped_samples > 0));
    RC_ASSERT(counted.useful_tokens <= counted.computed_tokens);
    if (spec.packing == Packing::Packed) RC_ASSERT(counted.clipped_samples <= 1u);  // only the first
    if (spec.packing == Packing::Unpacked) RC_ASSERT(load.dropped.text_tokens == 0u);
  }
}

// An unpacked microbatch keeps all its images unless a limit is stated.
RC_GTEST_PROP(Tally, NothingIsDroppedWithoutALimit, ()) {
  WorkloadSpec spec = random_workload();
  spec.packing = Packing::Unpacked;
  spec.max_patches = WorkloadSpec{}.max_patches;
  const WorkloadTally counted = tally(sample(spec, {4, 2, *rc::gen::arbitrary<std::uint64_t>(), 0}));
  RC_ASSERT(counted.clipped_samples == 0u && counted.dropped_images == 0u && counted.dropped_tokens == 0u);
}

TEST(Tally, ByHand) {
  WorkloadSpec spec;
  spec.images_per_sample = always(3);
  spec.text_tokens = always(50);
  spec.patches.patches = {400};
  spec.patches.cumulative = {1.0};
  spec.sequence_tokens = 260;  // drops one image of 100 from each sample's 350 tokens
  WorkloadTally counted = tally(sample(spec, {2, 3, 1, 0}));
  EXPECT_EQ(counted, (WorkloadTally{6, 6, 12, 6, 1500, 600, 1560}));
  EXPECT_DOUBLE_EQ(counted.fill(), 1500.0 / 1560);
  spec.sequence_tokens = 20;  // drops all images and 30 tokens of text
  EXPECT_EQ(tally(sample(spec, {2, 3, 1, 0})), (WorkloadTally{6, 6, 0, 18, 120, 1980, 120}));
}

TEST(Tally, OfTextAloneAllIsOfUse) {
  WorkloadSpec spec;
  spec.packing = Packing::TextOnly;
  spec.sequence_tokens = 512;
  spec.sequences_per_microbatch = 2;
  EXPECT_EQ(tally(sample(spec, {3, 2, 1, 0})), (WorkloadTally{12, 0, 0, 0, 6144, 0, 6144}));
}

}  // namespace
}  // namespace spillway
