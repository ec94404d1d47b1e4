#include "words/progress.h"

#include <gtest/gtest.h>

#include "support/property.h"

namespace spillway {
namespace {

TEST(ProgressText, SaysShareRateAndTimeLeft) {
  EXPECT_EQ(progress_text({.done = 4200, .total = 10000, .seconds = 5.25}),
            " 42 %  4,200 of 10,000 points  800 points/s  8 s left");
  EXPECT_EQ(progress_text({.done = 3, .total = 1'000'000, .seconds = 6}),
            "  0 %  3 of 1,000,000 points  0.5 points/s  555.6 h left");
  EXPECT_EQ(progress_text({.done = 10, .total = 1210, .seconds = 10}),
            "  0 %  10 of 1,210 points  1 points/s  20 min left");
}

TEST(ProgressText, CountsWhatItIsToldTo) {
  EXPECT_EQ(progress_text({.done = 4, .total = 32, .seconds = 2, .what = "draws"}),
            " 12 %  4 of 32 draws  2 draws/s  14 s left");
}

// Points of an earlier run took none of this run's time.
TEST(ProgressText, TakesTheRateFromThisRun) {
  EXPECT_EQ(progress_text({.done = 9100, .total = 10000, .done_before = 9000, .seconds = 1}),
            " 91 %  9,100 of 10,000 points  100 points/s  9 s left");
}

TEST(ProgressText, PromisesNothingWithoutARate) {
  EXPECT_EQ(progress_text({.done = 0, .total = 8, .seconds = 3}), "  0 %  0 of 8 points");
  EXPECT_EQ(progress_text({.done = 5, .total = 8, .done_before = 5}), " 62 %  5 of 8 points");
  EXPECT_EQ(progress_text({}), "100 %  0 of 0 points");
}

TEST(ProgressText, IsAtTheEndOnlyAtTheEnd) {
  EXPECT_EQ(progress_text({.done = 9999, .total = 10000, .seconds = 1}).substr(0, 5), " 99 %");
  EXPECT_EQ(progress_text({.done = 10000, .total = 10000, .seconds = 8}),
            "100 %  10,000 of 10,000 points  1,250 points/s");
}

TEST(ProgressLine, DrawsABarWhereThereIsRoom) {
  EXPECT_EQ(progress_line({.done = 5, .total = 10}, 40), "\r[#######........]  50 %  5 of 10 points");
  EXPECT_EQ(progress_line({.done = 5, .total = 10}, 30), "\r 50 %  5 of 10 points        ");
}

RC_GTEST_PROP(ProgressLine, FitsAnyTerminalAndCoversTheLineBefore, ()) {
  const auto total = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  const auto done = *rc::gen::inRange<std::uint64_t>(0, total + 1);
  const auto columns = *rc::gen::inRange<std::size_t>(1, 200);
  const auto seconds = *rc::gen::inRange(0, 100000);
  const std::string line = progress_line({done, total, 0, seconds / 7.0}, columns);
  RC_ASSERT(line.front() == '\r');
  RC_ASSERT(line.size() == columns);
}

TEST(IsLineDue, NeitherOftenNorNever) {
  const Progress last{.done = 10, .total = 100, .seconds = 10};
  const auto due = [&](std::uint64_t done, double seconds) {
    return is_line_due(last, {.done = done, .total = 100, .seconds = seconds});
  };
  EXPECT_FALSE(due(50, 11));
  EXPECT_FALSE(due(14, 60));
  EXPECT_TRUE(due(15, 12));
  EXPECT_TRUE(due(11, 70));
  EXPECT_FALSE(due(10, 700));
  EXPECT_TRUE(due(100, 10.1));
}

}  // namespace
}  // namespace spillway
