#include "derive/stage_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "support/property.h"

namespace spillway {
namespace {

using Split = std::vector<std::uint32_t>;

std::vector<Seconds> times(const std::vector<double>& seconds) {
  std::vector<Seconds> layers;
  for (const double s : seconds) layers.push_back(Seconds(s));
  return layers;
}

Seconds slowest(const std::vector<Seconds>& layers, const Split& split) {
  Seconds most;
  auto layer = layers.begin();
  for (const std::uint32_t size : split) {
    most = std::max(most, std::accumulate(layer, layer + size, Seconds()));
    layer += size;
  }
  return most;
}

double squares(const std::vector<Seconds>& layers, const Split& split) {
  double sum = 0;
  auto layer = layers.begin();
  for (const std::uint32_t size : split) {
    const double stage = std::accumulate(layer, layer + size, Seconds()).value();
    sum += stage * stage;
    layer += size;
  }
  return sum;
}

// Every way to give each of `stages` stages at least one of `layers` layers.
void for_each_split(std::uint32_t layers, std::uint32_t stages,
                    const std::function<void(const Split&)>& visit, Split begun = {}) {
  if (stages == 1) {
    begun.push_back(layers);
    return visit(begun);
  }
  for (std::uint32_t size = 1; size + stages - 1 <= layers; ++size) {
    Split next = begun;
    next.push_back(size);
    for_each_split(layers - size, stages - 1, visit, next);
  }
}

TEST(StageSplit, EqualLayersAreSharedOutEvenly) {
  EXPECT_EQ(balanced_split(times({1, 1, 1, 1, 1, 1}), 3), Split({2, 2, 2}));
  EXPECT_EQ(balanced_split(times({1, 1, 1, 1, 1}), 2), Split({3, 2}));
}

TEST(StageSplit, AHeavyLayerStandsAlone) {
  EXPECT_EQ(balanced_split(times({5, 1, 1, 1}), 2), Split({1, 3}));
  EXPECT_EQ(balanced_split(times({1, 1, 5, 1, 1}), 3), Split({2, 1, 2}));
}

TEST(StageSplit, LayersOfNoTimeMakeNoDifference) {
  EXPECT_EQ(balanced_split(times({0, 0, 0}), 3), Split({1, 1, 1}));
  EXPECT_EQ(balanced_split(times({0, 0, 0, 0}), 2), Split({3, 1}));
}

TEST(StageSplit, AnEncoderGetsTheStagesThatItNeeds) {
  // Four of encoder against eight of backbone on six stages: two and four.
  EXPECT_EQ(disaggregated_split(times({1, 1, 1, 1, 2, 2, 2, 2}), 4, 6), Split({2, 2, 1, 1, 1, 1}));
  // A light one gets one stage.
  EXPECT_EQ(disaggregated_split(times({0.1, 0.1, 2, 2, 2, 2}), 2, 3), Split({2, 2, 2}));
}

// Whole numbers, so that sums of the same layers are equal however they are added.
std::vector<Seconds> any_layers(std::size_t least) {
  std::vector<Seconds> layers;
  const auto count = *rc::gen::inRange<std::size_t>(least, 9);
  for (std::size_t i = 0; i < count; ++i) layers.push_back(Seconds(*rc::gen::inRange(0, 6)));
  return layers;
}

RC_GTEST_PROP(StageSplit, NoSplitIsQuickerNorMoreEvenAndTheFirstStagesHoldTheMost, ()) {
  const std::vector<Seconds> layers = any_layers(1);
  const auto stages = *rc::gen::inRange<std::uint32_t>(1, static_cast<std::uint32_t>(layers.size()) + 1);
  const Split found = balanced_split(layers, stages);
  for_each_split(static_cast<std::uint32_t>(layers.size()), stages, [&](const Split& split) {
    RC_ASSERT(slowest(layers, found) <= slowest(layers, split));
    if (slowest(layers, split) > slowest(layers, found)) return;
    RC_ASSERT(squares(layers, found) <= squares(layers, split));
    if (squares(layers, split) == squares(layers, found))
      RC_ASSERT(!std::lexicographical_compare(split.rbegin(), split.rend(), found.rbegin(), found.rend()));
  });
}

// Else neighbouring points of a sweep would be split in different ways for no reason.
RC_GTEST_PROP(StageSplit, RoundingChoosesNoSplit, ()) {
  const std::vector<Seconds> layers = any_layers(2);
  const auto stages = *rc::gen::inRange<std::uint32_t>(2, static_cast<std::uint32_t>(layers.size()) + 1);
  std::vector<Seconds> scaled;
  const double unit = *rc::gen::inRange(1, 1000) * 1e-3 / 7;
  for (const Seconds layer : layers) scaled.push_back(layer * unit);
  RC_ASSERT(balanced_split(scaled, stages) == balanced_split(layers, stages));
  const auto encoder = *rc::gen::inRange<std::uint32_t>(1, static_cast<std::uint32_t>(layers.size()));
  RC_ASSERT(disaggregated_split(scaled, encoder, stages) == disaggregated_split(layers, encoder, stages));
}

RC_GTEST_PROP(StageSplit, NoDisaggregatedSplitIsQuicker, ()) {
  const std::vector<Seconds> layers = any_layers(2);
  const auto count = static_cast<std::uint32_t>(layers.size());
  const auto encoder = *rc::gen::inRange<std::uint32_t>(1, count);
  const auto stages = *rc::gen::inRange<std::uint32_t>(2, count + 1);
  const Split found = disaggregated_split(layers, encoder, stages);
  for_each_split(count, stages, [&](const Split& split) {
    std::uint32_t end = 0;
    bool apart = false;
    for (const std::uint32_t size : split) apart |= (end += size) == encoder;
    if (apart) RC_ASSERT(slowest(layers, found) <= slowest(layers, split));
  });
}

}  // namespace
}  // namespace spillway
