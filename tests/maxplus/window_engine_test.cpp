// The windowed engine against the longest path, on random derivations and steps of many windows.
#include "maxplus/window_engine.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "support/tolerance.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

// With six replicas, one stage of a window may join two replicas and another three.
RC_GTEST_PROP(MaxPlusMakespan, IsTheLongestPath, ()) {
  const RandomDerivation random = *random_derivation({.replicas = 6});
  const Derived derived = random.derived();
  const Durations durations = random.priced(derived).durations;
  const double expected = LongestPath(derived.order).timeline(durations).makespan().value();
  const double found = max_plus_makespan(derived.order, durations).value();
  RC_ASSERT(std::abs(found - expected) <= kRelative * expected);
}

// One Durations holds three draws side by side; replicas of a draw meet.
RC_GTEST_PROP(MaxPlusMakespan, TakesManyDrawsAtOnce, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const Durations one = random.priced(derived).durations;
  const std::uint32_t replicas = one.lanes();
  Durations three(one.events(), 3 * replicas);
  for (std::uint32_t id = 0; id < one.events(); ++id) {
    for (std::uint32_t lane = 0; lane < 3 * replicas; ++lane)
      three.at(EventId(id), lane) = (1 + lane / replicas) * one.at(EventId(id), lane % replicas);
  }
  const double expected = LongestPath(derived.order).timeline(three).makespan().value();
  RC_ASSERT(std::abs(max_plus_makespan(derived.order, three).value() - expected) <= kRelative * expected);
}

TEST(MaxPlusMakespan, OfManyWindowsIsTheClosedForm) {
  for (const std::uint32_t p : {1U, 4U, 16U}) {
    const std::uint32_t m = 64;
    const Derived derived = uniform("1f1b", p, m);
    const Prices prices = price(derived, GivenCostModel(uniform_costs(3, 2.5, 1.75), derived));
    const double expected = (m + p - 1) * (3 + 2.5 + 1.75);
    EXPECT_NEAR(max_plus_makespan(derived.order, prices.durations).value(), expected, kRelative * expected);
  }
}

TEST(MaxPlusMakespan, HoldsItsContract) {
  const Model model({{"llm", Role::Backbone, 2, true}});
  const Derived derived = derive(model, {{SkeletonKind::OneFOneB}}, {}, {.pipeline = {2, 2, 4}});
  const std::size_t events = derived.order.event_count();
  EXPECT_THROW(max_plus_makespan(derived.order, Durations(events - 1, 4)), ContractBreach);
  EXPECT_THROW(max_plus_makespan(derived.order, Durations(events, 6)), ContractBreach);
}

}  // namespace
}  // namespace spillway::testing
