// The replay against the longest path, over random derivations. The two are equal where nothing is shared,
// and the replay is never earlier where links are shared.
#include "timing/longest_path.h"

#include <gtest/gtest.h>

#include "priced_on.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "support/tolerance.h"

namespace spillway::testing {
namespace {

// A derivation has at most five ranks and four replicas (RandomLimits).
constexpr Pipeline kLargest{5, 1, 4};

// Each case has four derivations, 1,200 in all. One replay serves all of them, so its clock runs on.
rc::Gen<std::vector<RandomDerivation>> some_derivations() {
  return rc::gen::container<std::vector<RandomDerivation>>(4, random_derivation({.every_skeleton = true}));
}

void expect_equal(const Timeline& replayed, const Timeline& longest) {
  const double tolerance = kRelative * longest.makespan().value();
  for (std::size_t i = 0; i < longest.end.flat().size(); ++i) {
    RC_ASSERT(std::abs((replayed.start.flat()[i] - longest.start.flat()[i]).value()) <= tolerance);
    RC_ASSERT(std::abs((replayed.end.flat()[i] - longest.end.flat()[i]).value()) <= tolerance);
  }
}

void expect_not_earlier(const Timeline& replayed, const Timeline& longest) {
  const double tolerance = kRelative * longest.makespan().value();
  for (std::size_t i = 0; i < longest.end.flat().size(); ++i) {
    RC_ASSERT((replayed.start.flat()[i] - longest.start.flat()[i]).value() >= -tolerance);
    RC_ASSERT((replayed.end.flat()[i] - longest.end.flat()[i]).value() >= -tolerance);
  }
}

TEST(LongestPath, EqualsTheReplayWithoutAPlatform) {
  Replay replay(Fabric{kLargest});
  EXPECT_TRUE(rc::check([&] {
    for (const RandomDerivation& random : *some_derivations()) {
      const Derived derived = random.derived();
      const Prices prices = random.priced(derived);
      expect_equal(replay.run(derived, prices), LongestPath(derived.order).timeline(prices.durations));
    }
  }));
}

TEST(LongestPath, EqualsTheReplayOnAPlatformWithoutContention) {
  Platform platform = enough_devices();
  platform.contention = false;
  Replay replay(Fabric{kLargest, 2, platform});
  EXPECT_TRUE(rc::check([&] {
    for (const RandomDerivation& random : *some_derivations()) {
      const Derived derived = random.derived();
      const Prices prices = price(derived, PricedOn(random.costs, derived, platform, 2, microseconds(20)));
      expect_equal(replay.run(derived, prices), LongestPath(derived.order).timeline(prices.durations));
    }
  }));
}

TEST(LongestPath, IsNeverLaterThanTheReplayWhereLinksAreShared) {
  const Platform platform = enough_devices();
  Replay replay(Fabric{kLargest, 2, platform});
  EXPECT_TRUE(rc::check([&] {
    for (const RandomDerivation& random : *some_derivations()) {
      const Derived derived = random.derived();
      const Seconds software = microseconds(*rc::gen::inRange(0, 50));
      const Prices prices = price(derived, PricedOn(random.costs, derived, platform, 2, software));
      expect_not_earlier(replay.run(derived, prices), LongestPath(derived.order).timeline(prices.durations));
    }
  }));
}

}  // namespace
}  // namespace spillway::testing
