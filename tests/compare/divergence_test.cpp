// The first divergence of two runs, against events looked up by the names that the paper gives them.
#include "compare/divergence.h"

#include <map>
#include <tuple>

#include "compared_documents.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::Document;

SideEvents events_of(const Document& document) {
  const Evaluation evaluation = testing::evaluated(document);
  return {evaluation.schedules[0].derived, evaluation.schedules[0].first.timeline};
}

// Returns the events of one lane by name and rank.
std::map<std::string, EventTimes> by_name(const SideEvents& events) {
  std::map<std::string, EventTimes> all;
  const Order& order = events.derived->order;
  for (std::uint32_t id = 0; id < order.event_count(); ++id) {
    const Event& event = order.event(EventId(id));
    const bool is_new = all.emplace(event_name(event, *events.derived) + std::to_string(event.rank.index()),
                                    EventTimes{event.rank, events.timeline.start.at(EventId(id), 0),
                                               events.timeline.end.at(EventId(id), 0)})
                            .second;
    EXPECT_TRUE(is_new) << event_name(event, *events.derived);
  }
  return all;
}

// Returns the first event that differs, of those at the same time the first in A's order. Both sides have the
// same events.
std::optional<EventTimes> first_apart(const SideEvents& a, const SideEvents& b) {
  const auto mine = by_name(a), named = by_name(b);
  std::optional<EventTimes> first;
  for (std::uint32_t id = 0; id < a.derived->order.event_count(); ++id) {
    const Event& event = a.derived->order.event(EventId(id));
    const std::string name = event_name(event, *a.derived) + std::to_string(event.rank.index());
    const EventTimes &times = mine.at(name), &there = named.at(name);
    const double apart =
        std::max(std::abs((times.start - there.start).value()), std::abs((times.end - there.end).value()));
    if (apart <= 1e-9 * std::max(a.timeline.makespan(), b.timeline.makespan()).value()) continue;
    if (!first || std::tuple(times.start, times.end) < std::tuple(first->start, first->end)) first = times;
  }
  return first;
}

RC_GTEST_PROP(FirstDivergence, IsTheFirstEventByNameThatDiffers, ()) {
  Document a = *rc::gen::exec(testing::random_document);
  // With equal microbatches, ranks encode at the same time: many events part at once.
  if (testing::number(0, 1) == 1) a["model"]["blocks"][0].erase("work_per_microbatch");
  Document b = a;
  const std::uint32_t what = testing::number(0, 4);
  if (what == 4) b["model"]["blocks"][0]["profile"]["forward_ms"] = 33;
  if (what == 1) b["network"]["p2p_ms"] = 7;
  if (what == 2) b["model"]["blocks"][1]["profile"]["forward_ms"] = 33;
  if (what == 3) b["model"]["blocks"][1]["profile"]["weight_gradient_ms"] = 33;
  const SideEvents events = events_of(a), others = events_of(b);
  // Owners may follow durations. Then the two sides have different events, and the case is discarded.
  const auto mine = by_name(events), theirs = by_name(others);
  RC_PRE(std::ranges::equal(mine, theirs, [](const auto& x, const auto& y) { return x.first == y.first; }));
  const auto found = first_divergence(events, others);
  const auto expected = first_apart(events, others);
  RC_ASSERT(found.has_value() == expected.has_value());
  if (found) RC_ASSERT(found->a->start == expected->start && found->a->rank == expected->rank);
}

TEST(FirstDivergence, WhatOneSideAloneHasCounts) {
  const Document a = testing::block_for_each_rank();
  Document b = a;
  b["pipeline"]["microbatches"] = 9;
  b["schedules"][0]["schedule"] = "gpipe";
  Document gpipe = a;
  gpipe["schedules"][0]["schedule"] = "gpipe";
  const auto added = first_divergence(events_of(gpipe), events_of(b));
  ASSERT_TRUE(added);
  EXPECT_FALSE(added->a);
  EXPECT_EQ(added->event, "forward of microbatch 9 in stage 0 of b0+b1+b2+b3");
  const auto removed = first_divergence(events_of(b), events_of(gpipe));
  ASSERT_TRUE(removed);
  EXPECT_FALSE(removed->b);
  EXPECT_EQ(removed->event, added->event);
}

}  // namespace
}  // namespace spillway
