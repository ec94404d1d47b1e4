// Images spread over devices: Graham's LPT rule by hand, and its bound against every possible assignment.
#include "cost/slabs/encoder_spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/property.h"

namespace spillway {
namespace {

using Images = std::vector<std::uint32_t>;

const ImageFlops kLinear{Flops(1), Flops(0)};

std::vector<MediaItem> items(const Images& images) {
  return {images.begin(), images.end()};
}

std::vector<double> patches(const Images& images, std::uint32_t devices, const ImageFlops& flops = kLinear) {
  std::vector<double> tokens;
  for (const DeviceImages& load : spread_images(items(images), devices, flops))
    tokens.push_back(load.patches);
  return tokens;
}

TEST(SpreadImages, GivesTheLargestLeftToTheLeastLoaded) {
  // 7 | 6 | 5, then 4 goes to the third, 3 to the second, 2 to the first (7 < 9 = 9).
  EXPECT_EQ(patches({2, 7, 4, 6, 3, 5}, 3), (std::vector<double>{9, 9, 9}));
  // Graham's worst case for two devices: LPT puts 3, 3, 2, 2, 2 into 7 and 5, where 6 and 6 are possible.
  EXPECT_EQ(patches({3, 3, 2, 2, 2}, 2), (std::vector<double>{7, 5}));
}

TEST(SpreadImages, NeverDividesAnImage) {
  EXPECT_EQ(patches({4096}, 4), (std::vector<double>{4096, 0, 0, 0}));
  const std::vector<DeviceImages> loads = spread_images(items({10, 20, 30, 10}), 2, kLinear);
  EXPECT_EQ(loads[0], (DeviceImages{40, {{1, 30}, {1, 10}}}));
  EXPECT_EQ(loads[1], (DeviceImages{30, {{1, 20}, {1, 10}}}));
  EXPECT_EQ(spread_images(items({10, 20, 10}), 1, kLinear)[0], (DeviceImages{40, {{1, 20}, {2, 10}}}));
}

TEST(SpreadImages, LeavesDevicesIdleWithoutImages) {
  EXPECT_EQ(patches({}, 2), (std::vector<double>{0, 0}));
}

// By patches 6 and 3 + 3 are equal; by attention FLOPs one large image outweighs two of half its size.
TEST(SpreadImages, WeighsImagesByTheirFlops) {
  const ImageFlops quadratic{Flops(0), Flops(1)};
  EXPECT_EQ(patches({6, 3, 3, 2}, 2), (std::vector<double>{8, 6}));
  EXPECT_EQ(patches({6, 3, 3, 2}, 2, quadratic), (std::vector<double>{6, 8}));
}

double least_maximum(const Images& images, std::uint32_t devices) {
  double best = std::accumulate(images.begin(), images.end(), 0.0);
  std::vector<std::uint32_t> choice(images.size(), 0);
  for (;;) {
    std::vector<double> load(devices, 0);
    for (std::size_t i = 0; i < images.size(); ++i) load[choice[i]] += images[i];
    best = std::min(best, *std::max_element(load.begin(), load.end()));
    std::size_t digit = 0;
    while (digit < choice.size() && ++choice[digit] == devices) choice[digit++] = 0;
    if (digit == choice.size()) return best;
  }
}

RC_GTEST_PROP(SpreadImages, KeepsEveryPatchWithinGrahamsBound, ()) {
  const auto devices = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto images =
      *rc::gen::resize(7, rc::gen::container<Images>(rc::gen::inRange<std::uint32_t>(1, 100)));
  const std::vector<double> loads = patches(images, devices);
  RC_ASSERT(std::accumulate(loads.begin(), loads.end(), 0.0) ==
            std::accumulate(images.begin(), images.end(), 0.0));
  const double bound = 4.0 / 3 - 1.0 / (3 * devices);
  RC_ASSERT(*std::max_element(loads.begin(), loads.end()) <= bound * least_maximum(images, devices) + 1e-9);
}

}  // namespace
}  // namespace spillway
