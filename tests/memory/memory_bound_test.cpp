// The bound of a step under a limit of memory, against closed forms and every skeleton.
#include "memory/memory_bound.h"

#include <gtest/gtest.h>

#include <string>

#include "memory/peak_memory.h"
#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"

namespace spillway::testing {
namespace {

// F = 1, B = 2, and an activation of 1 byte on each of 4 ranks.
GivenCosts one_byte_each() {
  GivenCosts costs = uniform_costs(1, 1, 1);
  costs.blocks.front().activation = Bytes(1);
  return costs;
}

double bound(const Derived& derived, const GivenCosts& costs, double limit) {
  const GivenCostModel model(costs, derived);
  return memory_bound(derived, model, price(derived, model).durations, Bytes(limit)).step.value();
}

// A microbatch lives for 12 s on the first rank, whose work is 60 s. On the second it is 9 s, between 1 s of
// warm-up and 2 s of drain.
TEST(MemoryBound, IsTheTimeOfAllMicrobatchesOverTheRoom) {
  const Derived derived = uniform("1f1b", 4, 20);
  EXPECT_DOUBLE_EQ(bound(derived, one_byte_each(), 4), 20 * 12.0 / 4) << "as long as the work";
  EXPECT_DOUBLE_EQ(bound(derived, one_byte_each(), 2), 20 * 12.0 / 2);
  EXPECT_DOUBLE_EQ(bound(derived, one_byte_each(), 1), 20 * 12.0);
}

// One microbatch at a time takes exactly as long as the bound with room for one.
TEST(MemoryBound, IsReachedByOneMicrobatchAtATime) {
  for (std::uint32_t p = 1; p <= 4; ++p) {
    const Derived derived = uniform("1f1b", p, 1);
    EXPECT_DOUBLE_EQ(bound(derived, one_byte_each(), 1), makespan(derived, one_byte_each())) << p;
  }
}

TEST(MemoryBound, SaysNothingWithoutRoom) {
  EXPECT_EQ(bound(uniform("1f1b", 4, 20), one_byte_each(), 0), 0);
}

// The limit is what the schedule itself holds, so the schedule keeps it.
RC_GTEST_PROP(MemoryBound, NoScheduleBeatsTheBoundOfItsOwnMemory, ()) {
  RandomDerivation random = *random_derivation({.every_skeleton = true});
  for (BlockProfile& block : random.costs.blocks) {
    block.activation = Bytes(*rc::gen::inRange(1, 50));
    block.weight_gradient_activation = Bytes(*rc::gen::inRange(0, 20));
  }
  const Derived derived = random.derived();
  const GivenCostModel model(random.costs, derived);
  const Durations durations = price(derived, model).durations;
  const Timeline timeline = LongestPath(derived.order).timeline(durations);
  const Bytes most = most_memory(derived, model, timeline);
  RC_ASSERT(memory_bound(derived, model, durations, most).step.value() <=
            timeline.makespan().value() * (1 + 1e-12));
}

}  // namespace
}  // namespace spillway::testing
