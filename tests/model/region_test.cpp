#include "model/region.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

const Model kTwoBlocks({{"enc", Role::Encoder, 4, false}, {"llm", Role::Backbone, 8, true}});
const Model kLlm({{"llm", Role::Backbone, 8, true}});

std::vector<std::string> names(const Model& model, const Cut& cut) {
  std::vector<std::string> names;
  for (const Region& region : regions_of(model, cut)) names.push_back(region.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Regions, TakeTheNamesOfTheBlocksTheyTouch) {
  EXPECT_EQ(names(kLlm, {}), (Names{"llm"}));
  EXPECT_EQ(names(kTwoBlocks, {}), (Names{"enc+llm"}));
  EXPECT_EQ(names(kTwoBlocks, {{4}}), (Names{"enc", "llm"}));
}

TEST(Regions, CountThePiecesOfABlock) {
  EXPECT_EQ(names(kLlm, {{4}}), (Names{"llm.1", "llm.2"}));
  EXPECT_EQ(names(kTwoBlocks, {{6}}), (Names{"enc+llm.1", "llm.2"}));
  EXPECT_EQ(names(kTwoBlocks, {{2, 6}}), (Names{"enc.1", "enc.2+llm.1", "llm.2"}));
  EXPECT_EQ(names(kTwoBlocks, {{4, 6, 9}}), (Names{"enc", "llm.1", "llm.2", "llm.3"}));
}

TEST(Regions, TileTheModelAndAreTrainableIfAnyLayerIs) {
  const std::vector<Region> regions = regions_of(kTwoBlocks, {{2, 6}});
  EXPECT_EQ(regions[0].layers, (LayerRange{0, 2}));
  EXPECT_EQ(regions[1].layers, (LayerRange{2, 6}));
  EXPECT_EQ(regions[2].layers, (LayerRange{6, 12}));
  EXPECT_FALSE(regions[0].trainable);
  EXPECT_TRUE(regions[1].trainable);
  EXPECT_TRUE(regions[2].trainable);
}

TEST(DefaultCut, OneRegionNeedsNone) {
  EXPECT_EQ(default_cut(kTwoBlocks, 1), Cut{});
}

TEST(DefaultCut, BlockBoundariesWhereThereAreAsManyBlocks) {
  EXPECT_EQ(default_cut(kTwoBlocks, 2), Cut{{4}});
}

TEST(DefaultCut, AnEvenCutOfOneBlockTheRemainderToTheEarlier) {
  EXPECT_EQ(default_cut(kLlm, 2), (Cut{{4}}));
  EXPECT_EQ(default_cut(kLlm, 3), (Cut{{3, 6}}));  // 3 + 3 + 2
  EXPECT_EQ(default_cut(kLlm, 5), (Cut{{2, 4, 6, 7}}));
  EXPECT_EQ(default_cut(kLlm, 8), (Cut{{1, 2, 3, 4, 5, 6, 7}}));
}

TEST(DefaultCut, OtherwiseThereIsNone) {
  EXPECT_EQ(default_cut(kTwoBlocks, 3), std::nullopt);
  EXPECT_EQ(default_cut(kLlm, 9), std::nullopt);
}

std::vector<std::string> violations(const Cut& cut, std::size_t regions) {
  std::vector<std::string> lines;
  for (const Violation& violation : check_cut(cut, kTwoBlocks, regions))
    lines.push_back(to_string(violation));
  return lines;
}

TEST(CheckCut, AcceptsEveryTiling) {
  EXPECT_EQ(violations({}, 1), Names{});
  EXPECT_EQ(violations({{1}}, 2), Names{});
  EXPECT_EQ(violations({{11}}, 2), Names{});
  EXPECT_EQ(violations({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}, 12), Names{});
}

TEST(CheckCut, CountsBoundaries) {
  EXPECT_EQ(violations({}, 2), (Names{": /cut: expected 1 interior boundaries for 2 regions, found 0"}));
  EXPECT_EQ(violations({{3, 6}}, 2),
            (Names{": /cut: expected 1 interior boundaries for 2 regions, found 2"}));
}

TEST(CheckCut, BoundariesLieInsideTheModel) {
  EXPECT_EQ(violations({{0}}, 2),
            (Names{": /cut/0: expected a layer boundary above 0 and below 12, found 0"}));
  EXPECT_EQ(violations({{12}}, 2),
            (Names{": /cut/0: expected a layer boundary above 0 and below 12, found 12"}));
  EXPECT_EQ(violations({{4'000'000'000}}, 2),
            (Names{": /cut/0: expected a layer boundary above 0 and below 12, found 4000000000"}));
}

TEST(CheckCut, BoundariesAscend) {
  EXPECT_EQ(violations({{6, 6}}, 3),
            (Names{": /cut/1: expected a layer boundary above 6 and below 12, found 6"}));
  EXPECT_EQ(violations({{8, 4, 6}}, 4),
            (Names{": /cut/1: expected a layer boundary above 8 and below 12, found 4",
                   ": /cut/2: expected a layer boundary above 8 and below 12, found 6"}));
}

// An invalid boundary sets no bound on the next one.
TEST(CheckCut, EveryViolationIsListedOnItsOwn) {
  EXPECT_EQ(violations({{20, 5, 5}}, 2),
            (Names{": /cut: expected 1 interior boundaries for 2 regions, found 3",
                   ": /cut/0: expected a layer boundary above 0 and below 12, found 20",
                   ": /cut/2: expected a layer boundary above 5 and below 12, found 5"}));
}

// Tests Lemma 1 word for word over every trainability of up to six regions.
TEST(Lemma1, TheGatesAreTheExistentialsOverEarlierRegions) {
  for (std::size_t k = 1; k <= 6; ++k) {
    for (std::uint32_t bits = 0; bits < (1U << k); ++bits) {
      std::vector<Region> regions;
      for (std::uint32_t j = 0; j < k; ++j) regions.push_back({"r", {j, j + 1}, (bits >> j & 1U) != 0});
      const std::vector<BackwardFootprint> footprints = backward_footprints(regions);
      ASSERT_EQ(footprints.size(), k);
      for (std::size_t j = 0; j < k; ++j) {
        bool before = false, up_to = false;
        for (std::size_t i = 0; i < k; ++i) {
          before = before || (i < j && regions[i].trainable);
          up_to = up_to || (i <= j && regions[i].trainable);
        }
        EXPECT_EQ(footprints[j], (BackwardFootprint{before, up_to, regions[j].trainable}))
            << bits << " region " << j;
      }
    }
  }
}

// The regions before a tower are none, and those before any other are all regions in front of it.
TEST(Lemma1, TowersSideBySideAreNotBeforeEachOther) {
  for (std::size_t towers = 2; towers <= 4; ++towers) {
    for (std::uint32_t bits = 0; bits < 32; ++bits) {
      std::vector<Region> regions;
      for (std::uint32_t j = 0; j < 5; ++j) regions.push_back({"r", {j, j + 1}, (bits >> j & 1U) != 0});
      const std::vector<BackwardFootprint> footprints = backward_footprints(regions, towers);
      for (std::size_t j = 0; j < 5; ++j) {
        const bool own = regions[j].trainable, before = j >= towers && (bits & ((1U << j) - 1)) != 0;
        EXPECT_EQ(footprints[j], (BackwardFootprint{before, before || own, own})) << bits << " region " << j;
      }
    }
  }
}

// "Pi_j's receive is Pi_{j+1}'s send", and the trainable source is the only region that receives without
// sending.
TEST(Lemma1, ASeamHasOneGate) {
  for (std::uint32_t bits = 0; bits < 64; ++bits) {
    std::vector<Region> regions;
    for (std::uint32_t j = 0; j < 6; ++j) regions.push_back({"r", {j, j + 1}, (bits >> j & 1U) != 0});
    const std::vector<BackwardFootprint> footprints = backward_footprints(regions);
    std::size_t sources = 0;
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_TRUE(j == 5 || footprints[j].receives == footprints[j + 1].sends);
      if (footprints[j].receives && !footprints[j].sends) ++sources;
    }
    EXPECT_EQ(sources, bits == 0 ? 0U : 1U);
  }
}

}  // namespace
}  // namespace spillway
