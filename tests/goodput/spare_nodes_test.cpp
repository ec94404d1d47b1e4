// Spare nodes against nodes that fail and are repaired one by one.
#include "goodput/spare_nodes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/property.h"
#include "workload/random_stream.h"

namespace spillway {
namespace {

using testing::number;

// Returns the share of time in which at most `spares` nodes are in repair. A failure comes once in a unit of
// time in which the run goes; a repair takes from half to one and a half of `repair`.
double walked_share(double repair, std::uint32_t spares, std::uint64_t seed, int failures) {
  RandomStream random({static_cast<std::uint32_t>(seed), 2});
  std::vector<double> back_at;
  double now = 0, waited = 0;
  for (int failure = 0; failure < failures; ++failure) {
    now += -std::log1p(-random.uniform());
    std::erase_if(back_at, [&](double at) { return at <= now; });
    back_at.push_back(now + repair * (0.5 + random.uniform()));
    if (back_at.size() <= spares) continue;
    const double first = std::ranges::min(back_at);
    waited += first - now;
    now = first;
  }
  return 1 - waited / now;
}

RC_GTEST_PROP(SpareNodes, SufficeForTheShareOfAWalkedRun, ()) {
  const double repair = 0.1 * number(1, 80);
  const std::uint32_t spares = number(0, 12);
  const double walked = walked_share(repair, spares, number(0, 1'000'000), 20'000);
  RC_ASSERT(std::abs(walked - share_with_enough_nodes(repair, spares)) < 0.025);
}

RC_GTEST_PROP(SpareNodes, AreTheLeastNumberThatSuffices, ()) {
  const double repair = 0.1 * number(1, 800), share = 1 - std::pow(10, -0.1 * number(1, 60));
  const auto spares = spare_nodes_for(repair, share);
  RC_ASSERT(spares.has_value());
  RC_ASSERT(share_with_enough_nodes(repair, *spares) >= share);
  RC_ASSERT(*spares == 0 || share_with_enough_nodes(repair, *spares - 1) < share);
}

TEST(SpareNodes, AreErlangs) {
  EXPECT_DOUBLE_EQ(share_with_enough_nodes(1, 0), 0.5);
  EXPECT_DOUBLE_EQ(share_with_enough_nodes(1, 1), 0.8);
  EXPECT_DOUBLE_EQ(share_with_enough_nodes(0, 0), 1);
  EXPECT_EQ(spare_nodes_for(1, 0.8), 1u);
}

TEST(SpareNodes, AreNoPlanIfTheyAreTooMany) {
  EXPECT_EQ(spare_nodes_for(1e9, 0.99), std::nullopt);
}

}  // namespace
}  // namespace spillway
