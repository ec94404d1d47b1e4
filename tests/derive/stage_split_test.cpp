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

// Visits every way to give each of `stages` stages at least one of `layers` layers.
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
  // Four seconds of encoder and eight of backbone share six stages: two and four.
  EXPECT_EQ(disaggregated_split(times({1, 1, 1, 1, 2, 2, 2, 2}), Split{4, 4}, 6), Split({2, 2, 1, 1, 1, 1}));
  // A light encoder gets one stage.
  EXPECT_EQ(disaggregated_split(times({0.1, 0.1, 2, 2, 2, 2}), Split{2, 4}, 3), Split({2, 2, 2}));
}

// Draws whole numbers, so that sums of the same layers are equal in any order of addition.
std::vector<Seconds> any_layers(std::size_t least) {
  std::vector<Seconds> layers;
  const auto count = *rc::gen::inRange<std::size_t>(least, 9);
  for (std::size_t i = 0; i < count; ++i) layers.push_back(Seconds(*rc::gen::inRange(0, 6)));
  return layers;
}

RC_GTEST_PROP(StageSplit, NoSplitIsFasterNorMoreEvenAndTheFirstStagesHoldTheMost, ()) {
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

// Otherwise neighbouring points of a sweep would be split differently for no reason.
RC_GTEST_PROP(StageSplit, RoundingChoosesNoSplit, ()) {
  const std::vector<Seconds> layers = any_layers(2);
  const auto stages = *rc::gen::inRange<std::uint32_t>(2, static_cast<std::uint32_t>(layers.size()) + 1);
  std::vector<Seconds> scaled;
  const double unit = *rc::gen::inRange(1, 1000) * 1e-3 / 7;
  for (const Seconds layer : layers) scaled.push_back(layer * unit);
  RC_ASSERT(balanced_split(scaled, stages) == balanced_split(layers, stages));
  const auto encoder = *rc::gen::inRange<std::uint32_t>(1, static_cast<std::uint32_t>(layers.size()));
  const Split modules = {encoder, static_cast<std::uint32_t>(layers.size()) - encoder};
  RC_ASSERT(disaggregated_split(scaled, modules, stages) == disaggregated_split(layers, modules, stages));
}

// Divides the layers into two or three modules.
Split any_modules(std::uint32_t layers) {
  const auto first = *rc::gen::inRange<std::uint32_t>(1, layers);
  if (layers - first < 2 || *rc::gen::arbitrary<bool>()) return {first, layers - first};
  const auto second = *rc::gen::inRange<std::uint32_t>(1, layers - first);
  return {first, second, layers - first - second};
}

bool ends_modules(const Split& split, const Split& modules) {
  std::vector<std::uint32_t> ends;
  std::uint32_t end = 0;
  for (const std::uint32_t size : split) ends.push_back(end += size);
  end = 0;
  return std::ranges::all_of(
      modules, [&](std::uint32_t module) { return std::ranges::find(ends, end += module) != ends.end(); });
}

RC_GTEST_PROP(StageSplit, NoDisaggregatedSplitIsFaster, ()) {
  const std::vector<Seconds> layers = any_layers(2);
  const auto count = static_cast<std::uint32_t>(layers.size());
  const Split modules = any_modules(count);
  const auto stages = *rc::gen::inRange(static_cast<std::uint32_t>(modules.size()), count + 1);
  const Split found = disaggregated_split(layers, modules, stages);
  RC_ASSERT(found.size() == stages && ends_modules(found, modules));
  for_each_split(count, stages, [&](const Split& split) {
    if (ends_modules(split, modules)) RC_ASSERT(slowest(layers, found) <= slowest(layers, split));
  });
}

// The first module gets the stated number of stages, and no such split is faster.
RC_GTEST_PROP(StageSplit, AStatedModuleGetsItsStages, ()) {
  const std::vector<Seconds> layers = any_layers(2);
  const auto count = static_cast<std::uint32_t>(layers.size());
  const auto encoder = *rc::gen::inRange<std::uint32_t>(1, count);
  const auto own = *rc::gen::inRange<std::uint32_t>(1, encoder + 1);
  const std::uint32_t stages = own + *rc::gen::inRange<std::uint32_t>(1, count - encoder + 1);
  const Split found = disaggregated_split(layers, Split{encoder, count - encoder}, stages, own);
  RC_ASSERT(std::accumulate(found.begin(), found.begin() + own, 0U) == encoder);
  for_each_split(count, stages, [&](const Split& split) {
    if (std::accumulate(split.begin(), split.begin() + own, 0U) == encoder)
      RC_ASSERT(slowest(layers, found) <= slowest(layers, split));
  });
}

}  // namespace
}  // namespace spillway
