// Orders that hold too much are delayed until they fit, and still run.
#define SPILLWAY_PROPERTY_CASES "60"
#include "synthesize/pass_room.h"

#include <gtest/gtest.h>

#include "small_pipelines.h"
#include "support/property.h"
#include "synthesize/list_orders.h"

namespace spillway::testing {
namespace {

// A step in which each rank has room for so many microbatches of 1 byte.
std::shared_ptr<const PricedStep> limited_step(const std::string& skeleton, std::uint32_t microbatches,
                                               double room) {
  GivenCosts costs = uniform_costs(1, 1, 1);
  costs.blocks.front().activation = Bytes(1);
  costs.blocks.front().weight_gradient_activation = Bytes(0.5);
  return std::make_shared<const PricedStep>(
      uniform(skeleton, 3, microbatches),
      [&](const Derived& of) {
        CostModels models;
        models.push_back(std::make_unique<GivenCostModel>(costs, of));
        return models;
      },
      Bytes(room));
}

RC_GTEST_PROP(PassRoom, DelaysForwardsUntilThereIsRoom, ()) {
  const auto skeleton = *rc::gen::element<std::string>("gpipe", "1f1b", "zb-h2");
  const auto microbatches = *rc::gen::inRange<std::uint32_t>(1, 8);
  const auto room = static_cast<double>(*rc::gen::inRange(1, 5));
  const auto step = limited_step(skeleton, microbatches, room);
  const OwnedOrder start = own_order(step);
  const PassSequences delayed = within_room(step->needs(), start.sequences);
  RC_ASSERT(keeps_room(step->needs(), delayed));
  if (keeps_room(step->needs(), start.sequences)) RC_ASSERT(delayed == start.sequences);
  SequencedStep timed;
  RC_ASSERT(step->graph().run(delayed, step->durations(), timed));
}

// Every rule of list schedules keeps the room, whatever limit of microbatches it has.
RC_GTEST_PROP(PassRoom, ListsKeepIt, ()) {
  const auto microbatches = *rc::gen::inRange<std::uint32_t>(1, 8);
  const auto step = limited_step("zb-h2", microbatches, static_cast<double>(*rc::gen::inRange(1, 5)));
  for (const ListRule& rule : list_rules(3, microbatches, 1))
    RC_ASSERT(keeps_room(step->needs(), list_order(step->graph(), step->needs(), rule)));
}

TEST(PassRoom, NothingIsLimitedWithoutALimit) {
  const OwnedOrder order = own_order(priced_step(uniform("gpipe", 3, 4), uniform_costs(1, 1, 1)));
  EXPECT_TRUE(keeps_room(order.step->needs(), order.sequences));
  EXPECT_EQ(within_room(order.step->needs(), order.sequences), order.sequences);
}

}  // namespace
}  // namespace spillway::testing
