// Levenshtein's distance on textbook pairs.
#include "base/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace spillway {
namespace {

TEST(EditDistance, Textbook) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("saturday", "sunday"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
}

TEST(Nearest, TheFirstOfEquals) {
  constexpr std::array<std::string_view, 3> known = {"ranks", "microbatches", "replicas"};
  EXPECT_EQ(nearest("rank", known), "ranks");
  EXPECT_EQ(nearest("micro_batches", known), "microbatches");
  EXPECT_EQ(nearest("replica", known), "replicas");
}

}  // namespace
}  // namespace spillway
