// The longest path against the definition: each event starts when its last predecessor, over every edge, has
// ended on all replicas it joins. Orders, durations, replicas and joined stages are random.
#include "timing/longest_path.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/property.h"
#include "support/random_derivation.h"
#include "timing/critical_path.h"

namespace spillway::testing {
namespace {

// Computes section 3.3 of the paper as written, from the list of edges alone.
Timeline by_definition(const Order& order, const Durations& durations) {
  const std::uint32_t lanes = durations.lanes();
  Timeline timeline{PerEvent<Seconds>(order.event_count(), lanes),
                    PerEvent<Seconds>(order.event_count(), lanes)};
  std::vector<std::vector<EventId>> before(order.event_count());
  for (const Edge& edge : order.edges()) before[edge.to.index()].push_back(edge.from);
  for (std::uint32_t id = 0; id < order.event_count(); ++id) {
    const std::uint32_t joined = order.event(EventId(id)).joined_replicas;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      Seconds start;
      for (EventId from : before[id]) {
        for (std::uint32_t other = 0; other < lanes; ++other) {
          if (other / joined == lane / joined) start = std::max(start, timeline.end.at(from, other));
        }
      }
      timeline.start.at(EventId(id), lane) = start;
      timeline.end.at(EventId(id), lane) = start + durations.at(EventId(id), lane);
    }
  }
  return timeline;
}

bool same(const PerEvent<Seconds>& a, const PerEvent<Seconds>& b) {
  return a.lanes() == b.lanes() &&
         std::equal(a.flat().begin(), a.flat().end(), b.flat().begin(), b.flat().end());
}

// Returns random durations for all events, bookkeeping events included; joined replicas share theirs.
Durations any_durations(const Order& order, std::uint32_t lanes) {
  Durations durations(order.event_count(), lanes);
  std::uint64_t state = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(1, 1U << 30));
  for (std::uint32_t id = 0; id < order.event_count(); ++id) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const std::uint64_t tenths = state >> 33 & 63;
      const std::uint32_t joined = order.event(EventId(id)).joined_replicas;
      durations.at(EventId(id), lane) = lane % joined > 0
                                            ? durations.at(EventId(id), lane - 1)
                                            : Seconds(tenths < 12 ? 0 : static_cast<double>(tenths) * 0.1);
    }
  }
  return durations;
}

void expect_definition(const Order& order, const Durations& durations) {
  const LongestPath path(order);
  const Timeline timeline = path.timeline(durations), defined = by_definition(order, durations);
  RC_ASSERT(same(timeline.start, defined.start));
  RC_ASSERT(same(timeline.end, defined.end));
  PerEvent<Seconds> scratch;
  RC_ASSERT(path.makespan(durations, scratch) == defined.makespan());
  RC_ASSERT(path.makespan(durations, scratch) == defined.makespan());  // warm: `scratch` is already filled
}

// Returns the lanes of one group.
Durations group_of(const Durations& durations, std::uint32_t first, std::uint32_t lanes) {
  Durations group(durations.events(), lanes);
  for (std::uint32_t id = 0; id < durations.events(); ++id)
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      group.at(EventId(id), lane) = durations.at(EventId(id), first + lane);
  return group;
}

// Any number of draws in one pass gives each draw's own makespan: blocks of eight lanes, the rest of them,
// and replicas that no block holds.
RC_GTEST_PROP(LongestPath, ManyDrawsAreEachOneByItself, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const std::uint32_t replicas = derived.pipeline.replicas;
  const auto draws = *rc::gen::inRange<std::uint32_t>(1, 20);
  const Durations all = any_durations(derived.order, replicas * draws);
  const LongestPath path(derived.order, replicas);
  PerEvent<Seconds> scratch;
  const std::vector<Seconds> makespans = path.makespans(all, replicas, scratch);
  RC_ASSERT(makespans.size() == draws);
  for (std::uint32_t draw = 0; draw < draws; ++draw)
    RC_ASSERT(makespans[draw] == path.timeline(group_of(all, draw * replicas, replicas)).makespan());
}

RC_GTEST_PROP(LongestPath, IsTheDefinitionToTheLastBit, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  expect_definition(derived.order, random.priced(derived).durations);
}

RC_GTEST_PROP(LongestPath, IsTheDefinitionForAnyDurations, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  expect_definition(derived.order, any_durations(derived.order, derived.pipeline.replicas));
}

// Lanes are a multiple of the replicas, and each draw's ends are as if it ran alone.
RC_GTEST_PROP(LongestPath, DrawsDoNotMix, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const std::uint32_t replicas = derived.pipeline.replicas;
  const Durations both = any_durations(derived.order, 2 * replicas);
  Timeline apart[2];
  for (std::uint32_t draw = 0; draw < 2; ++draw) {
    Durations one(derived.order.event_count(), replicas);
    for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
      for (std::uint32_t lane = 0; lane < replicas; ++lane) {
        one.at(EventId(id), lane) = both.at(EventId(id), draw * replicas + lane);
      }
    }
    apart[draw] = LongestPath(derived.order).timeline(one);
  }
  const Timeline together = LongestPath(derived.order).timeline(both);
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    for (std::uint32_t lane = 0; lane < 2 * replicas; ++lane) {
      RC_ASSERT(together.end.at(EventId(id), lane) ==
                apart[lane / replicas].end.at(EventId(id), lane % replicas));
    }
  }
}

// Replicas that do not compute together meet only at reductions, after which the step ends. So the step is as
// long as the longest group by itself.
RC_GTEST_PROP(LongestPath, StepIsTheLongestOfItsGroupsByThemselves, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const Durations durations = random.priced(derived).durations;
  std::uint32_t group = 1;
  for (const Event& event : derived.order.events())
    if (event.computes()) group = std::lcm(group, event.joined_replicas);
  const LongestPath alone(derived.order, group);
  PerEvent<Seconds> scratch;
  Seconds longest;
  for (std::uint32_t first = 0; first < derived.pipeline.replicas; first += group) {
    Durations own(durations.events(), group);
    for (std::uint32_t id = 0; id < durations.events(); ++id)
      for (std::uint32_t lane = 0; lane < group; ++lane)
        own.at(EventId(id), lane) = durations.at(EventId(id), first + lane);
    const Timeline timeline = alone.timeline(own);
    RC_ASSERT(alone.makespan(own, scratch) == timeline.makespan());
    const auto path = critical_path(derived.order, timeline);
    RC_ASSERT(timeline.start.at(path.front().event, path.front().lane) == Seconds());
    longest = std::max(longest, timeline.makespan());
  }
  RC_ASSERT(longest == LongestPath(derived.order).timeline(durations).makespan());
}

RC_GTEST_PROP(LongestPath, NothingStartsWithoutACause, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const Timeline timeline = LongestPath(derived.order).timeline(random.priced(derived).durations);
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const std::uint32_t joined = derived.order.event(EventId(id)).joined_replicas;
    for (std::uint32_t lane = 0; lane < derived.pipeline.replicas; ++lane) {
      const Seconds start = timeline.start.at(EventId(id), lane);
      bool caused = start == Seconds();
      for (std::uint32_t from : derived.order.predecessors(EventId(id))) {
        for (std::uint32_t other = lane - lane % joined; other < lane - lane % joined + joined; ++other) {
          RC_ASSERT(timeline.end.at(EventId(from), other) <= start);
          caused = caused || timeline.end.at(EventId(from), other) == start;
        }
      }
      RC_ASSERT(caused);
    }
  }
}

TEST(LongestPath, HoldsItsContract) {
  const Model model({{"llm", Role::Backbone, 2, true}});
  const Derived derived = derive(model, {{SkeletonKind::OneFOneB}}, {}, {.pipeline = {2, 2, 4}});
  const LongestPath path(derived.order);
  const std::size_t events = derived.order.event_count();
  PerEvent<Seconds> scratch;
  EXPECT_THROW(path.timeline(Durations(events - 1, 4)), ContractBreach);
  EXPECT_THROW(path.timeline(Durations(events, 1)), ContractBreach) << "four replicas meet at the reduce";
  EXPECT_THROW(path.makespan(Durations(events, 6), scratch), ContractBreach);
  EXPECT_EQ(path.makespan(Durations(events, 8), scratch), Seconds());
}

// The critical path is one chain without a gap, from time zero to the makespan.
RC_GTEST_PROP(CriticalPath, FillsTheStep, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const Durations durations = random.priced(derived).durations;
  const Timeline timeline = LongestPath(derived.order).timeline(durations);
  const std::vector<CriticalEvent> path = critical_path(derived.order, timeline);
  RC_ASSERT(timeline.start.at(path.front().event, path.front().lane) == Seconds());
  RC_ASSERT(timeline.end.at(path.back().event, path.back().lane) == timeline.makespan());
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const auto [from, from_lane] = path[i];
    const auto [to, to_lane] = path[i + 1];
    const auto before = derived.order.predecessors(to);
    RC_ASSERT(std::count(before.begin(), before.end(), from.index()) > 0);
    const std::uint32_t joined = derived.order.event(to).joined_replicas;
    RC_ASSERT(from_lane / joined == to_lane / joined);
    RC_ASSERT(timeline.end.at(from, from_lane) == timeline.start.at(to, to_lane));
  }
}

// Blocking transfers never end the step earlier than overlapped ones.
RC_GTEST_PROP(LongestPath, BlockingTransfersNeverHelp, ()) {
  RandomDerivation random = *random_derivation({.every_skeleton = true});
  random.options.point_to_point = PointToPoint::Overlapped;
  const Derived overlapped = random.derived();
  const Seconds alone =
      LongestPath(overlapped.order).timeline(random.priced(overlapped).durations).makespan();
  random.options.point_to_point = PointToPoint::Blocking;
  const Derived blocking = random.derived();
  const Seconds occupied = LongestPath(blocking.order).timeline(random.priced(blocking).durations).makespan();
  RC_ASSERT(occupied.value() >= alone.value());
}

}  // namespace
}  // namespace spillway::testing
