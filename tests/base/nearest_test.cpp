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

TEST(NearWord, IsAMisspellingOrABeginningAndElseNothing) {
  constexpr std::array<std::string_view, 5> known = {"ranks", "microbatches", "p2p_ms", "tensor", "limit_gb"};
  EXPECT_EQ(near_word("rank", known), "ranks");
  EXPECT_EQ(near_word("Ranks", known), "ranks");
  EXPECT_EQ(near_word("micro_batches", known), "microbatches");
  EXPECT_EQ(near_word("p2p", known), "p2p_ms");
  EXPECT_EQ(near_word("limit", known), "limit_gb");
  for (const char* far : {"tp", "batch_size", "collectives", "x", ""})
    EXPECT_EQ(near_word(far, known), std::nullopt) << far;
}

TEST(Nearest, TheFirstOfEquals) {
  constexpr std::array<std::string_view, 3> known = {"ranks", "microbatches", "replicas"};
  EXPECT_EQ(nearest("rank", known), "ranks");
  EXPECT_EQ(nearest("micro_batches", known), "microbatches");
  EXPECT_EQ(nearest("replica", known), "replicas");
}

}  // namespace
}  // namespace spillway
