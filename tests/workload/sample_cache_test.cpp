// The cache's draws begin with the draws of sample(), whatever was requested before.
#include "workload/sample_cache.h"

#include <gtest/gtest.h>

#include <thread>

#include "specs.h"
#include "support/property.h"

namespace spillway {
namespace {

bool begins_as(const SampledDraw& sampled, const Draw& wanted) {
  if (sampled.replicas() < wanted.size()) return false;
  for (std::size_t replica = 0; replica < wanted.size(); ++replica) {
    if (sampled.loads[replica].size() < wanted[replica].size()) return false;
    if (!std::equal(wanted[replica].begin(), wanted[replica].end(), sampled.loads[replica].begin()))
      return false;
  }
  return true;
}

RC_GTEST_PROP(SampleCache, GivesWhatSampleGives, ()) {
  SampleCache cache(*rc::gen::inRange<std::size_t>(0, 60));
  const auto packed = cache.shared(varied()), unpacked = cache.shared(varied(Packing::Unpacked));
  for (int request = 0; request < 12; ++request) {
    const auto& spec = *rc::gen::arbitrary<bool>() ? packed : unpacked;
    const auto microbatches = *rc::gen::inRange<std::uint32_t>(1, 9);
    const auto replicas = *rc::gen::inRange<std::uint32_t>(1, 4);
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, 2);
    const auto draw = *rc::gen::inRange<std::uint32_t>(0, 3);
    const auto sampled = cache.sample(spec, {microbatches, replicas, seed, draw});
    const Draw wanted = sample(*spec, {microbatches, replicas, seed, draw});
    RC_ASSERT(begins_as(*sampled, wanted));
    RC_ASSERT(sampled->tally(replicas, microbatches) == tally(wanted));
  }
}

TEST(SampleCache, CountsPatches) {
  SampleCache cache;
  const auto sampled = cache.sample(cache.shared(varied()), {5, 2, 1, 0});
  for (std::size_t replica = 0; replica < 2; ++replica) {
    for (std::size_t m = 0; m < 5; ++m) {
      const auto& images = sampled->loads[replica][m].media;
      double patches = 0;
      for (const MediaItem& image : images) patches += image.patches;
      EXPECT_EQ(sampled->patches[replica][m], patches);
    }
  }
}

TEST(SampleCache, RemembersAndServesFewerFromMore) {
  SampleCache cache;
  const auto spec = cache.shared(varied());
  const auto many = cache.sample(spec, {8, 3, 1, 0});
  EXPECT_EQ(cache.sample(spec, {5, 2, 1, 0}), many);
  EXPECT_NE(cache.sample(spec, {5, 2, 1, 1}), many);
  EXPECT_NE(cache.sample(spec, {5, 2, 2, 0}), many);
  const auto wider = cache.sample(spec, {2, 4, 1, 0});
  EXPECT_EQ(wider->microbatches(0), 8u);  // microbatches sampled before are kept
  EXPECT_EQ(wider->microbatches(3), 2u);  // and only requested ones are sampled
  EXPECT_EQ(cache.sample(spec, {8, 3, 1, 0}), wider);
}

TEST(SampleCache, EqualWorkloadsShareTheirDraws) {
  SampleCache cache;
  const auto spec = cache.shared(varied());
  EXPECT_EQ(cache.shared(varied()), spec);
  EXPECT_NE(cache.shared(varied(Packing::Unpacked)), spec);
}

TEST(SampleCache, ForgetsWhatWasUsedLongestAgo) {
  SampleCache cache(20);
  const auto spec = cache.shared(varied());
  const auto first = cache.sample(spec, {8, 1, 1, 0}), second = cache.sample(spec, {8, 1, 1, 1});
  EXPECT_EQ(cache.sample(spec, {8, 1, 1, 0}), first);
  cache.sample(spec, {8, 1, 1, 2});
  EXPECT_EQ(cache.sample(spec, {8, 1, 1, 0}), first);
  EXPECT_NE(cache.sample(spec, {8, 1, 1, 1}), second);
}

TEST(SampleCache, WhatIsTooLargeToKeepIsStillGiven) {
  SampleCache cache(3);
  const auto spec = cache.shared(varied());
  const auto first = cache.sample(spec, {8, 1, 1, 0});
  EXPECT_EQ(first->microbatches(), 8u);
  EXPECT_NE(cache.sample(spec, {8, 1, 1, 0}), first);
}

TEST(SampleCache, ServesSeveralThreads) {
  SampleCache cache(40);
  const auto ask = [&] {
    for (std::uint32_t draw = 0; draw < 60; ++draw) {
      const auto spec = cache.shared(varied());
      const auto sampled = cache.sample(spec, {1 + draw % 7, 1, 1, draw % 11});
      EXPECT_TRUE(begins_as(*sampled, sample(*spec, {1 + draw % 7, 1, 1, draw % 11})));
    }
  };
  std::thread other(ask);
  ask();
  other.join();
}

}  // namespace
}  // namespace spillway
