// The replay against the gold standard, over random derivations: equal where nothing is shared, never earlier
// where links are.
#include "timing/longest_path.h"

#include <gtest/gtest.h>

#include "sim/flows.h"
#include "small_cluster.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "support/tolerance.h"

namespace spillway::testing {
namespace {

// Five ranks and four replicas at most: see RandomLimits.
constexpr Pipeline kLargest{5, 1, 4};

// Several derivations per case: 400 in all. One replay serves them, so the clock runs on through all of them.
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

// The given compute durations, and transfers priced alpha-beta on a platform: what the slowest flow takes
// alone, and `software` before it.
class PricedOn final : public Pricing {
 public:
  PricedOn(GivenCosts compute, const Derived& derived, Platform platform, std::uint32_t members,
           Seconds software)
      : compute_(std::move(compute), derived),
        grid_{derived.pipeline.ranks, derived.pipeline.replicas, members},
        platform_(std::move(platform)),
        software_(software) {}

  Seconds pass(Pass pass, StageId s, MicrobatchId m, ReplicaId r) const override {
    return compute_.pass(pass, s, m, r);
  }
  Seconds overlapped(const Event& event, ReplicaId r) const override { return compute_.overlapped(event, r); }
  // 1 to 7 x 10 MB by microbatch and stage, so that flows overlap in many ways.
  Transfer transfer(const Event& event, ReplicaId replica) const override {
    const Bytes payload((1 + (event.microbatch.index() * 3 + event.stage.index()) % 7) * 1e7);
    std::vector<Flow> flows;
    flows_of(event, event.joined_replicas > 1 ? ReplicaId(0) : replica, grid_, flows);
    Seconds slowest;
    for (const Flow flow : flows) {
      const Tier& tier = tier_between(platform_, flow.from, flow.to);
      slowest = std::max(slowest, tier.latency.value + payload / tier.bandwidth.value);
    }
    return flows.empty() ? Transfer{} : Transfer{software_ + slowest, payload};
  }

 private:
  GivenCostModel compute_;
  DeviceGrid grid_;
  Platform platform_;
  Seconds software_;
};

Platform enough_devices() {
  Platform platform = small_cluster();
  platform.tiers.back().devices = 64;
  return platform;
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
