#include "validate/components.h"

#include <gtest/gtest.h>

#include "support/property.h"
#include "traces/own_pipeline.h"
#include "validate/replay.h"

namespace spillway::testing {
namespace {

Components parts(double compute, double transfer, double collective, double wait, double host_gap) {
  return {Seconds(compute), Seconds(transfer), Seconds(collective), Seconds(wait), Seconds(host_gap)};
}

void expect_equal(const Components& found, const Components& expected) {
  for (const auto& [name, part] : kComponentNames)
    EXPECT_DOUBLE_EQ((found.*part).value(), (expected.*part).value()) << name;
}

// One microbatch runs on two ranks with F 1 s, B 2 s and transfers of 0.5 s:
//   rank 0   F 0-1, sends 1-1.5,                                     B 5-7
//   rank 1                       F 1.5-2.5, B 2.5-4.5, sends 4.5-5
Timeline small_run(const Derived& derived) {
  return LongestPath(derived.order)
      .timeline(price(derived, GivenCostModel(uniform_costs(1, 1, 1, 0.5), derived)).durations);
}

TEST(Components, OfASmallRunByHand) {
  const Derived derived = uniform("1f1b", 2, 1);
  const Timeline run = small_run(derived);
  const auto ranks = components(derived.order, run, 0, spans(derived.order, run)[0]);
  ASSERT_EQ(ranks.size(), 2u);
  expect_equal(ranks[0], parts(3, 0.5, 0, 3.5, 0));
  expect_equal(ranks[1], parts(3, 0.5, 0, 3.5, 0));
}

// Rank 0 takes part in a collective from 1.25 to 2 s and starts its backward a second late.
TEST(Components, CollectivesAndHostGapsTakeTheRest) {
  const Derived derived = uniform("1f1b", 2, 1);
  Timeline run = small_run(derived);
  for (EventId id : derived.order.nodes(RankId(0))) {
    if (derived.order.event(id).kind != EventKind::Backward) continue;
    run.start.at(id, 0) += Seconds(1);
    run.end.at(id, 0) += Seconds(1);
  }
  const std::vector<std::vector<Interval>> collectives = {{{Seconds(1.25), Seconds(2)}}, {}};
  const auto ranks = components(derived.order, run, 0, spans(derived.order, run)[0], collectives);
  expect_equal(ranks[0], parts(3, 0.5, 0.5, 3, 1));
  expect_equal(ranks[1], parts(3, 0.5, 0, 4.5, 0));
}

// Rank 1's gradients are reduced from 5.5 to 6.5 s, while rank 0 runs its backward. No pass waits for that.
TEST(Components, CollectivesAfterTheLastPassAreNoPartOfThePipeline) {
  const Derived derived = uniform("1f1b", 2, 1);
  const Timeline run = small_run(derived);
  const std::vector<std::vector<Interval>> collectives = {{}, {{Seconds(5.5), Seconds(6.5)}}};
  const auto ranks = components(derived.order, run, 0, spans(derived.order, run)[0], collectives);
  expect_equal(ranks[1], parts(3, 0.5, 0, 3.5, 0));
}

// Every pass with a predecessor starts `late` after it could. Transfers take no time, so `late` is host gap.
RC_GTEST_PROP(Components, FindEveryHostGapAndAddUp, ()) {
  const std::string text = *rc::gen::element<std::string>("1f1b", "gpipe", "zb-h1", "zb-v");
  const Derived derived = uniform(text, 4, 8);
  const auto events = static_cast<std::uint32_t>(derived.order.event_count());
  Durations late(events, 1), both(events, 1);
  for (std::uint32_t id = 0; id < events; ++id) {
    if (!derived.order.event(EventId(id)).computes()) continue;
    if (!derived.order.predecessors(EventId(id)).empty())
      late.at(EventId(id), 0) = Seconds(*rc::gen::inRange(0, 65) / 64.0);
    both.at(EventId(id), 0) = late.at(EventId(id), 0) + Seconds(*rc::gen::inRange(1, 257) / 64.0);
  }
  Timeline run = LongestPath(derived.order).timeline(both);
  for (std::uint32_t id = 0; id < events; ++id) run.start.at(EventId(id), 0) += late.at(EventId(id), 0);

  const Interval span = spans(derived.order, run)[0];
  const auto ranks = components(derived.order, run, 0, span);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    Seconds expected;
    for (EventId id : derived.order.nodes(RankId(rank))) expected += late.at(id, 0);
    RC_ASSERT(ranks[rank].host_gap == expected);
    RC_ASSERT(ranks[rank].total() == span.length());
  }
}

}  // namespace
}  // namespace spillway::testing
