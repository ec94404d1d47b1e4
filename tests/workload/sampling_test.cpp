// Checks how microbatches are assembled, on distributions with one value so that nothing is random, and the
// statistics of random draws.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "specs.h"
#include "support/property.h"
#include "workload/workload.h"

namespace spillway {
namespace {

std::uint64_t patches_in(const MicrobatchLoad& load) {
  std::uint64_t patches = 0;
  for (const MediaItem& item : load.media) patches += item.patches;
  return patches;
}

TEST(Packed, FillsTheSequenceExactly) {
  const MicrobatchLoad load = sample(regular(), {1, 1, 1, 0})[0][0];
  EXPECT_EQ(load.samples, 4u);
  EXPECT_EQ(load.media, std::vector<MediaItem>(8, {Modality::Vision, 400, 1, 100, 0}));
  EXPECT_EQ(load.image_tokens, 800u);
  EXPECT_EQ(load.text_tokens, 200u);
  EXPECT_EQ(load.sequence_tokens, 1000u);
}

TEST(Packed, PadsWhatTheNextSampleWouldExceed) {
  WorkloadSpec spec = regular();
  spec.sequence_tokens = 999;
  const MicrobatchLoad load = sample(spec, {2, 1, 1, 0})[0][1];
  EXPECT_EQ(load.samples, 3u);
  EXPECT_EQ(load.sequence_tokens, 999u);
}

TEST(Packed, MaxPatchesEndAMicrobatchToo) {
  WorkloadSpec spec = regular();
  spec.max_patches = 2399;  // three samples would have 2,400
  EXPECT_EQ(sample(spec, {1, 1, 1, 0})[0][0].samples, 2u);
}

TEST(Packed, ASampleTooBigForAnEmptySequenceLosesImagesThenText) {
  WorkloadSpec spec = regular();
  spec.sequence_tokens = 160;  // room for 50 tokens of text and one image of 100
  MicrobatchLoad load = sample(spec, {1, 1, 1, 0})[0][0];
  EXPECT_EQ(load.media.size(), 1u);
  EXPECT_EQ(load.text_tokens, 50u);
  spec.sequence_tokens = 30;
  load = sample(spec, {1, 1, 1, 0})[0][0];
  EXPECT_TRUE(load.media.empty());
  EXPECT_EQ(load.text_tokens, 30u);
}

TEST(Packed, ImagesWithoutPatchesAreLeftOut) {
  WorkloadSpec spec = regular();
  spec.patches.patches = {0};
  const MicrobatchLoad load = sample(spec, {1, 1, 1, 0})[0][0];
  EXPECT_EQ(load.samples, 20u);  // 50 tokens of text each
  EXPECT_TRUE(load.media.empty());
}

TEST(Packed, ASampleOfNothingCountsAsOneToken) {
  WorkloadSpec spec = regular();
  spec.text_only_share = 1.0;
  spec.text_tokens = always(0);
  EXPECT_EQ(sample(spec, {1, 1, 1, 0})[0][0].samples, 1000u);
}

TEST(Unpacked, TheSequenceIsAsLongAsItsSamples) {
  WorkloadSpec spec = regular();
  spec.packing = Packing::Unpacked;
  spec.samples_per_microbatch = 7;
  const MicrobatchLoad load = sample(spec, {1, 1, 1, 0})[0][0];
  EXPECT_EQ(load.samples, 7u);
  EXPECT_EQ(load.sequence_tokens, 1750u);
}

TEST(Unpacked, DropsImagesBeyondMaxPatchesAndIsNeverEmpty) {
  WorkloadSpec spec = regular();
  spec.packing = Packing::Unpacked;
  spec.samples_per_microbatch = 2;
  spec.max_patches = 1200;
  EXPECT_EQ(sample(spec, {1, 1, 1, 0})[0][0].media.size(), 3u);
  spec.max_patches = 0;
  spec.text_tokens = always(0);
  EXPECT_EQ(sample(spec, {1, 1, 1, 0})[0][0].sequence_tokens, 1u);
}

TEST(Draws, AreFixedByTheirArguments) {
  const Draw wide = sample(varied(), {4, 3, 7, 2});
  EXPECT_EQ(wide, sample(varied(), {4, 3, 7, 2}));
  EXPECT_EQ(wide[1], sample(varied(), {4, 2, 7, 2})[1]);        // replicas do not disturb each other
  EXPECT_EQ(wide[0][3], sample(varied(), {9, 1, 7, 2})[0][3]);  // nor do later microbatches
  EXPECT_NE(wide, sample(varied(), {4, 3, 8, 2}));
  EXPECT_NE(wide, sample(varied(), {4, 3, 7, 3}));
  EXPECT_NE(wide[0], wide[1]);
  EXPECT_NE(wide, sample(varied(), {4, 3, 7 + (std::uint64_t{1} << 32), 2}));  // the seed's high half counts
}

// A separate program in another language implements seed_seq{1, 0, 0, 0} and mt19937_64 as the C++ standard
// defines them. It assembled microbatches with these samples and tokens.
TEST(Draws, AreTheSameOnEveryMachine) {
  using Sizes = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  Sizes sizes;
  const Draw draw = sample(varied(), {6, 1, 1, 0});
  for (const MicrobatchLoad& load : draw[0])
    sizes.emplace_back(load.samples, load.image_tokens + load.text_tokens);
  EXPECT_EQ(sizes, (Sizes{{11, 973}, {4, 710}, {1, 904}, {8, 851}, {7, 829}, {3, 1000}}));
}

TEST(Draws, FollowTheDistributions) {
  WorkloadSpec spec = varied();
  spec.packing = Packing::Unpacked;
  spec.max_patches = 1'000'000;
  const std::uint32_t n = 20000;
  double images = 0, patches = 0, text = 0, text_only = 0;
  const Draw draw = sample(spec, {n, 1, 11, 0});
  for (const MicrobatchLoad& load : draw[0]) {
    images += static_cast<double>(load.media.size());
    patches += static_cast<double>(patches_in(load));
    text += load.text_tokens;
    text_only += load.media.empty() ? 1 : 0;
  }
  // Images per sample: 0.8 x (0.7 x 1 + 0.2 x 4) = 1.2; patches per image 0.5 x 16 + 0.4 x 400 + 0.1 x 2000 =
  // 368. Standard errors at 20,000 samples are below 1 %, so 4 % is four of them.
  EXPECT_NEAR(images / n, 1.2, 0.04 * 1.2);
  EXPECT_NEAR(patches / images, 368, 0.04 * 368);
  EXPECT_NEAR(text / n, spec.text_tokens.mean(), 0.04 * 93.5);
  EXPECT_NEAR(text_only / n, 0.2 + 0.8 * 0.1, 0.012);
}

TEST(Draws, AHistogramsMean) {
  EXPECT_DOUBLE_EQ(varied().text_tokens.mean(), 0.7 * 5 + 0.3 * 300);
}

// A packed microbatch keeps within any bounds and is padded to its sequence.
RC_GTEST_PROP(Packed, StaysWithinItsBounds, ()) {
  WorkloadSpec spec = varied();
  spec.sequence_tokens = *rc::gen::inRange<std::uint32_t>(1, 4000);
  spec.max_patches = *rc::gen::inRange<std::uint32_t>(0, 9000);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Draw draw = sample(spec, {8, 1, seed, 0});
  for (const MicrobatchLoad& load : draw[0]) {
    RC_ASSERT(load.samples >= 1u);
    RC_ASSERT(load.image_tokens + load.text_tokens <= spec.sequence_tokens);
    RC_ASSERT(patches_in(load) <= spec.max_patches);
    RC_ASSERT(patches_in(load) == std::uint64_t{load.image_tokens} * 4);
    RC_ASSERT(load.sequence_tokens == spec.sequence_tokens);
  }
}

TEST(TextOnly, EveryMicrobatchIsAlike) {
  WorkloadSpec spec;
  spec.packing = Packing::TextOnly;
  spec.sequence_tokens = 2048;
  spec.sequences_per_microbatch = 3;
  const Draw draw = sample(spec, {2, 4, 1, 7});
  ASSERT_EQ(draw.size(), 4u);
  const MicrobatchLoad expected{{}, 3, 0, 6144, 6144, 3};
  for (const auto& replica : draw) EXPECT_EQ(replica, std::vector<MicrobatchLoad>(2, expected));
}

// A sample is a document, wherever it is packed.
RC_GTEST_PROP(Sampled, MakesADocumentOfEachSample, ()) {
  WorkloadSpec spec = varied();
  spec.packing = *rc::gen::element(Packing::Packed, Packing::Unpacked);
  spec.samples_per_microbatch = *rc::gen::inRange<std::uint32_t>(1, 5);
  const Draw draw = sample(spec, {4, 1, *rc::gen::arbitrary<std::uint64_t>(), 0});
  for (const MicrobatchLoad& load : draw[0]) {
    RC_ASSERT(load.packing == spec.packing);
    RC_ASSERT(load.documents.size() == load.samples);
    for (std::size_t i = 0; i < load.each.size(); ++i) RC_ASSERT(load.documents[i] == load.each[i].tokens());
  }
}

TEST(Sampled, MakesOneSequence) {
  WorkloadSpec spec = varied();
  EXPECT_EQ(sample(spec, {1, 1, 1, 0})[0][0].sequences, 1u);
  spec.packing = Packing::Unpacked;
  EXPECT_EQ(sample(spec, {1, 1, 1, 0})[0][0].sequences, 1u);
}

}  // namespace
}  // namespace spillway
