// The loops in every vector width of this machine against the plain recurrence, to the last bit.
#include "timing/lane_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "timing/longest_path.h"
#include "timing/path_steps.h"

namespace spillway::testing {
namespace {

// Returns a number whose sums round at every step.
double awkward(std::uint32_t event, std::uint32_t lane) {
  return static_cast<double>((event * 2654435761U + lane * 40503U) % 1000U) / 7;
}

Durations awkward_durations(const Order& order, std::uint32_t lanes) {
  Durations durations(order.event_count(), lanes);
  for (std::uint32_t event = 0; event < durations.events(); ++event) {
    const std::uint32_t joined = order.event(EventId(event)).joined_replicas;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      durations.at(EventId(event), lane) = Seconds(awkward(event, lane / joined));
  }
  return durations;
}

std::vector<Seconds> last_ends(const Timeline& timeline) {
  std::vector<Seconds> last(timeline.end.lanes());
  for (std::uint32_t event = 0; event < timeline.end.events(); ++event)
    for (std::uint32_t lane = 0; lane < last.size(); ++lane)
      last[lane] = std::max(last[lane], timeline.end.at(EventId(event), lane));
  return last;
}

// The widths are a lane, less than a line, a line, two lines and more.
RC_GTEST_PROP(LaneLoops, AreThePlainRecurrence, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const LongestPath path(derived.order);
  LiveEnds ends;
  for (const std::uint32_t draws : {1U, 3U, 8U, 16U, 21U}) {
    const Durations durations = awkward_durations(derived.order, derived.pipeline.replicas * draws);
    const std::vector<Seconds> expected = last_ends(path.timeline(durations));
    for (const LaneLoops& loops : lane_loops()) {
      HeldRows rows(durations, 0, durations.lanes());
      RC_ASSERT(path.run(rows, ends, loops).last == expected);
    }
  }
}

// A run takes a range of the held lanes as well as all of them.
RC_GTEST_PROP(LaneLoops, TakeLanesFromAnywhere, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const LongestPath path(derived.order, 1);
  const Durations all = awkward_durations(derived.order, derived.pipeline.replicas * 20);
  const auto first = *rc::gen::inRange<std::uint32_t>(0, all.lanes());
  const auto count = *rc::gen::inRange<std::uint32_t>(1, all.lanes() - first + 1);
  Durations cut(all.events(), count);
  for (std::uint32_t event = 0; event < all.events(); ++event)
    for (std::uint32_t lane = 0; lane < count; ++lane)
      cut.at(EventId(event), lane) = all.at(EventId(event), first + lane);
  LiveEnds ends;
  HeldRows some(all, first, count), own(cut, 0, count);
  RC_ASSERT(path.run(some, ends).last == path.run(own, ends).last);
}

// Watched events start and end as in the timeline.
RC_GTEST_PROP(LaneLoops, WatchWhatComputes, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  std::vector<EventId> watched;
  for (std::uint32_t event = 0; event < derived.order.event_count(); ++event)
    if (derived.order.event(EventId(event)).computes() && *rc::gen::inRange(0, 3) == 0)
      watched.emplace_back(event);
  const LongestPath path(derived.order, std::numeric_limits<std::uint32_t>::max(), watched);
  const Durations durations = awkward_durations(derived.order, derived.pipeline.replicas * 2);
  const Timeline timeline = path.timeline(durations);
  LiveEnds ends;
  HeldRows rows(durations, 0, durations.lanes());
  const PathEnding ending = path.run(rows, ends);
  for (std::uint32_t i = 0; i < watched.size(); ++i)
    for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane) {
      RC_ASSERT(ending.start.at(EventId(i), lane) == timeline.start.at(watched[i], lane));
      RC_ASSERT(ending.end.at(EventId(i), lane) == timeline.end.at(watched[i], lane));
    }
}

// In every vector width, rows are added to sums in order, also rows that events share.
TEST(LaneLoops, AddRowsInTheirOrder) {
  for (const std::uint32_t width : {1U, 8U, 16U, 24U}) {
    AlignedVector<double> rows(5 * width);
    for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = awkward(i, 0);
    const std::vector<std::uint32_t> takes{3, 0, 4, 4, 1};
    const std::vector<Addend> addends{{100, 1}, {101, 0}, {102, 1}, {104, 1}};
    const RowStretch stretch{5, rows.data(), takes.data()};
    AlignedVector<double> expected(2 * width);
    for (const Addend& addend : addends)
      for (std::uint32_t lane = 0; lane < width; ++lane)
        expected[addend.sum * width + lane] += rows[takes[addend.event - 100] * width + lane];
    for (const LaneLoops& loops : lane_loops()) {
      AlignedVector<double> sums(2 * width);
      loops.add(addends, 100, stretch, width, sums.data());
      EXPECT_EQ(sums, expected) << loops.name << " " << width;
    }
  }
}

// Events share rows of durations; the third waits for the first through an event between them.
TEST(LaneLoops, RunOverSharedRows) {
  for (const std::uint32_t width : {1U, 8U, 16U, 24U}) {
    AlignedVector<double> rows(3 * width);
    for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = awkward(i, 1);
    const std::vector<PathStep> steps{{100, 1, 0, 0, kNoVia, 0},
                                      {101, 2, 0, 1, kNoVia, 1},
                                      {103, 1, 2, 1, 102, 0},
                                      {104, 3, 1, 2, kNoVia, 0}};
    const std::vector<std::uint32_t> takes{2, 2, 1, 0, 1};
    for (const LaneLoops& loops : lane_loops()) {
      AlignedVector<double> ends(4 * width), latest(width), none(width), sums(2 * width);
      const RowStretch stretch{5, rows.data(), takes.data()};
      loops.run(steps, 100, stretch, {width, ends.data(), none.data(), nullptr});
      std::fill(ends.begin(), ends.end(), 0.0);
      loops.run(steps, 100, stretch, {width, ends.data(), latest.data(), sums.data()});
      EXPECT_EQ(latest, none) << loops.name << " " << width;
      for (std::uint32_t lane = 0; lane < width; ++lane) {
        const auto row = [&](std::uint32_t index) { return rows[index * width + lane]; };
        const double twice = row(2) + row(2), third = std::max(twice, row(2) + row(1)) + row(0);
        EXPECT_EQ(latest[lane], std::max(third, twice) + row(1)) << loops.name << " " << width;
        EXPECT_EQ(sums[lane], row(2) + row(0) + row(1)) << loops.name << " " << width;
        EXPECT_EQ(sums[width + lane], row(2)) << loops.name << " " << width;
      }
    }
  }
}

// Returns durations a few events at a time, or all of them at once.
class InStretches final : public DurationRows {
 public:
  InStretches(const Durations& durations, std::uint32_t stretch)
      : rows_(durations, 0, durations.lanes()), stretch_(stretch) {}
  std::uint32_t events() const override { return rows_.events(); }
  std::uint32_t lanes() const override { return rows_.lanes(); }
  RowStretch from(std::uint32_t first) override {
    const RowStretch all = rows_.from(first);
    const std::uint32_t count = std::min(stretch_, all.count);
    const std::size_t numbers = std::size_t{count} * row_width(lanes());
    now_.assign(all.rows, all.rows + numbers);
    return {count, now_.data(), nullptr};
  }

 private:
  HeldRows rows_;
  std::uint32_t stretch_;
  AlignedVector<double> now_;
};

// The busy time of each rank is summed event by event. Neither it nor a lane's end depends on whether
// transfers are folded.
RC_GTEST_PROP(LaneLoops, FoldTransfers, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const LongestPath path(derived.order);
  const Durations durations = awkward_durations(derived.order, derived.pipeline.replicas * 3);
  const auto stretch =
      *rc::gen::inRange<std::uint32_t>(1, static_cast<std::uint32_t>(durations.events()) + 1);
  LiveEnds ends;
  HeldRows all(durations, 0, durations.lanes());
  InStretches some(durations, stretch);
  const PathEnding folded = path.run(all, ends, fastest_loops(), Busy::Counted);
  const PathEnding single = path.run(some, ends, fastest_loops(), Busy::Counted);
  RC_ASSERT(folded.last == last_ends(path.timeline(durations)));
  RC_ASSERT(single.last == folded.last);
  RC_ASSERT(single.busy == folded.busy);
  const std::size_t width = row_width(durations.lanes());
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) {
    double busy = 0;
    for (std::uint32_t event = 0; event < durations.events(); ++event) {
      const Event& it = derived.order.event(EventId(event));
      if (it.computes() && it.rank.index() == rank) busy += durations.at(EventId(event), 0).value();
    }
    RC_ASSERT(folded.busy[rank * width] == busy);
  }
}

// The rows do not grow with the microbatches. About every other event is a transfer, which has no step.
TEST(PathSteps, AreAsManyAsAPipelineIsDeep) {
  for (const std::uint32_t microbatches : {64U, 256U}) {
    const Derived derived = uniform("1f1b", 16, microbatches);
    const PathSteps folded = folded_steps(derived.order, essential_edges(derived.order));
    EXPECT_LE(folded.rows, 3 * 16U);
    EXPECT_LE(folded.steps.size(), 0.55 * static_cast<double>(derived.order.event_count()));
  }
}

// No row is written while something still waits for what it holds.
RC_GTEST_PROP(PathSteps, HoldWhatIsWaitedFor, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const EssentialEdges edges = essential_edges(derived.order);
  const PathSteps folded = folded_steps(derived.order, edges);
  for (const PathSteps& steps : {folded, single_steps(edges, folded)}) {
    std::vector<std::uint32_t> holds(steps.rows, static_cast<std::uint32_t>(-1));
    for (const PathStep& step : steps.steps) {
      for (std::uint32_t before : edges.before(step.event)) {
        if (steps.row[before] == kFolded) before = edges.before(before).front();
        RC_ASSERT(holds[steps.row[before]] == before);
      }
      RC_ASSERT(step.own != kZeroRow);
      holds[step.own] = step.event;
    }
  }
}

}  // namespace
}  // namespace spillway::testing
