// The derived and timed order of every skeleton against the slow clock of its rank orders.
#include <gtest/gtest.h>

#include "support/pipelines.h"
#include "support/timed_skeleton.h"

namespace spillway::testing {
namespace {

constexpr SlotDurations kUnequal{
    .forward = 1.25, .input_gradient = 1.5, .weight_gradient = 0.75, .fused = 3, .transfer = 0.25};

GivenCosts costs_of(const SlotDurations& durations) {
  GivenCosts costs = uniform_costs(durations.forward, durations.input_gradient, durations.weight_gradient,
                                   durations.transfer);
  if (durations.fused > 0) costs.blocks[0].fused_forward_backward = Seconds(durations.fused);
  return costs;
}

// Returns the end of the last computing event.
double last_compute(const Derived& derived, const GivenCosts& costs) {
  const Prices prices = price(derived, GivenCostModel(costs, derived));
  const Timeline timeline = LongestPath(derived.order).timeline(prices.durations);
  Seconds last;
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    if (derived.order.event(EventId(id)).computes()) last = std::max(last, timeline.end.at(EventId(id), 0));
  }
  return last.value();
}

class EverySkeleton : public ::testing::TestWithParam<const char*> {};

TEST_P(EverySkeleton, TakesTheTimeOfItsRankOrders) {
  const Skeleton skeleton = schedule(GetParam()).skeletons.front();
  for (std::uint32_t p : {1, 2, 3, 4, 7, 8, 16}) {
    for (std::uint32_t m : {1, 2, 5, 8, 16, 33, 64}) {
      if (!check_shape(skeleton, shape_of(skeleton, p, m)).empty()) continue;
      for (const SlotDurations& durations : {SlotDurations(), kUnequal}) {
        const double expected = timed(skeleton, p, m, durations).makespan();
        EXPECT_NEAR(last_compute(uniform(GetParam(), p, m), costs_of(durations)), expected, 1e-9 * expected)
            << "P=" << p << " M=" << m;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backbone, EverySkeleton, ::testing::ValuesIn(kPipelined),
                         [](const auto& text) { return "n" + std::to_string(text.index); });

}  // namespace
}  // namespace spillway::testing
