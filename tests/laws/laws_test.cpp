// The laws on the first 100 jobs, twenty to a test. `make laws N=10000` takes more.
#include <gtest/gtest.h>

#include "check.h"

namespace spillway::testing {
namespace {

constexpr std::uint64_t kJobs = 100;
constexpr std::uint64_t kEach = 20;

class Laws : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Laws, Hold) {
  const Checked checked = check(GetParam(), kEach);
  for (const Break& broken : checked.breaks) ADD_FAILURE() << to_string(broken);
}

INSTANTIATE_TEST_SUITE_P(FromJob, Laws, ::testing::Range(std::uint64_t{0}, kJobs, kEach),
                         [](const auto& first) { return std::to_string(first.param); });

// A law that never applies checks nothing.
TEST(Laws, AllSaySomething) {
  for (const Tally& tally : check(0, 2 * kEach).tallies)
    EXPECT_GT(tally.held + tally.broken, 0u) << tally.law;
}

}  // namespace
}  // namespace spillway::testing
