// Resize rules from preprocessor_config.json files.
#include <gtest/gtest.h>

#include <filesystem>

#include "input/architecture/resize_rules.h"
#include "written.h"

namespace spillway {
namespace {

VisionTower tower(std::uint32_t patch) {
  VisionTower tower;
  tower.patch_size = patch;
  tower.temporal_patch_size = 2;
  tower.spatial_merge_size = 2;
  return tower;
}

Lines bad(const std::string& text) {
  written("preprocessor_config.json", text);
  Lines lines = complaints([] { read_resize_rule(folder_of_this_test() + "/config.json", tower(16)); });
  std::filesystem::remove(folder_of_this_test() + "/preprocessor_config.json");
  return lines;
}

// These are the released areas of Qwen2-VL (in min_pixels and max_pixels) and Qwen3-VL (in size).
TEST(PreprocessorReader, ShippedFiles) {
  const ResizeRule old = read_resize_rule(shipped("workloads/models/qwen2-vl-7b/config.json"), tower(14));
  EXPECT_EQ(old.patch, 14u);
  EXPECT_EQ(old.min_pixels, 3136u);
  EXPECT_EQ(old.max_pixels, 12845056u);
  const ResizeRule rule =
      read_resize_rule(shipped("workloads/models/qwen3-vl-30b-a3b/config.json"), tower(16));
  EXPECT_EQ(rule.patch, 16u);
  EXPECT_EQ(rule.min_pixels, 256u * 256u);
  EXPECT_EQ(rule.max_pixels, 4096u * 4096u);
}

TEST(PreprocessorReader, TheRulesOwnBoundsWithoutAFile) {
  const ResizeRule rule =
      read_resize_rule(shipped("workloads/models/qwen2-vl-vit-to-deepseek-v3/config.json"), tower(14));
  EXPECT_EQ(rule.min_pixels, ResizeRule{}.min_pixels);
  EXPECT_EQ(rule.max_pixels, ResizeRule{}.max_pixels);
}

TEST(PreprocessorReader, BadOnes) {
  EXPECT_EQ(
      bad(R"({ "patch_size": 14, "merge_size": 2, "image_mean": [0.5] })"),
      Lines{"preprocessor_config.json: /patch_size: expected 16, as the tower's config.json states, found "
            "14"});
  EXPECT_EQ(
      bad(R"({ "min_pixels": 0, "size": { "longest_edge": "far" } })"),
      (Lines{"preprocessor_config.json: /min_pixels: expected a whole number of at least 1, found 0",
             "preprocessor_config.json: /size/longest_edge: expected a whole number of at least 1, found "
             "\"far\""}));
  EXPECT_EQ(bad(R"({ "min_pixels": 5000, "max_pixels": 4000 })"),
            Lines{"preprocessor_config.json: /: expected a smallest area that is at most the largest, 4000, "
                  "found 5000"});
  EXPECT_EQ(bad("[]"), Lines{"preprocessor_config.json: /: expected an object, found an empty list"});
}

}  // namespace
}  // namespace spillway
