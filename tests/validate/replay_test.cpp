#include "validate/replay.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/property.h"
#include "traces/own_pipeline.h"

namespace spillway::testing {
namespace {

// Durations are multiples of 1/64 s, so that no sum is rounded.
Durations random_durations(const Derived& derived, std::uint32_t lanes) {
  Durations durations(derived.order.event_count(), lanes);
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    const bool moves = event.kind == EventKind::Collective && event.rank != event.peer_rank;
    for (std::uint32_t lane = 0; lane < lanes && (event.computes() || moves); ++lane)
      durations.at(EventId(id), lane) = Seconds(*rc::gen::inRange(1, 257) / 64.0);
  }
  return durations;
}

// The program runs a schedule. The replay of the trace that this run would leave gives the same times.
RC_GTEST_PROP(Replay, OfAnOwnRunHasNoError, ()) {
  const std::string text = *rc::gen::element<std::string>("1f1b", "gpipe", "1f1b,1f1b", "zb-h1", "zb-v",
                                                          "v-half", "wave(1)", "dualpipev");
  const auto mode = *rc::gen::element(PointToPoint::Overlapped, PointToPoint::Blocking);
  const std::uint32_t ranks = *rc::gen::element(2u, 4u), lanes = 2;
  const Derived own = uniform_with(text, ranks, 2 * ranks * *rc::gen::inRange(1u, 3u), mode);
  const Timeline run = LongestPath(own.order).timeline(random_durations(own, lanes));

  const MeasuredPipeline pipeline = pipeline_of(own, run);
  const Derived derived = measured_order(pipeline, mode);
  const MeasuredTimes times = measured_times(pipeline, derived);
  const Timeline replayed = LongestPath(derived.order).timeline(lengths(times.timeline));

  RC_ASSERT(times.notes.empty());
  RC_ASSERT(spans(derived.order, replayed) == spans(own.order, run));
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    if (!derived.order.event(EventId(id)).computes()) continue;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      RC_ASSERT(replayed.start.at(EventId(id), lane) == times.timeline.start.at(EventId(id), lane));
  }
}

// Two ranks run 2 microbatches with F 1 s, B 2 s and transfers of 0.5 s.
MeasuredPipeline small_pipeline() {
  const Derived own = uniform_with("1f1b", 2, 2, PointToPoint::Overlapped);
  const Prices prices = price(own, GivenCostModel(uniform_costs(1, 1, 1, 0.5), own));
  return pipeline_of(own, LongestPath(own.order).timeline(prices.durations));
}

EventId transfer(const Derived& derived, Comm comm, std::uint32_t m) {
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    if (event.kind == EventKind::Collective && event.comm == comm && event.microbatch == MicrobatchId(m))
      return EventId(id);
  }
  throw ContractBreach("no such transfer");
}

Interval at(const MeasuredTimes& times, EventId id) {
  return {times.timeline.start.at(id, 0), times.timeline.end.at(id, 0)};
}

TEST(Replay, ATransferIsTheShorterOfItsSides) {
  MeasuredPipeline pipeline = small_pipeline();
  MeasuredTransfer& first = pipeline.steps[0].activations[0][0];
  first.received->start -= Seconds(1);  // posted early
  MeasuredTransfer& second = pipeline.steps[0].activations[0][1];
  second.sent->end += Seconds(4);  // waits for a transfer sent together with it
  second.received->end -= Seconds(0.25);
  const Derived derived = measured_order(pipeline, PointToPoint::Overlapped);
  const MeasuredTimes times = measured_times(pipeline, derived);
  EXPECT_EQ(at(times, transfer(derived, Comm::Send, 0)), *first.sent);
  EXPECT_EQ(at(times, transfer(derived, Comm::Send, 1)), *second.received);
  EXPECT_EQ(times.transfer, Seconds(0.5));  // the median of 0.25, 0.5, 0.5, 0.5
}

TEST(Replay, ATransferWithoutBothSidesTakesTheMedianOfTheOthers) {
  MeasuredPipeline pipeline = small_pipeline();
  pipeline.steps[0].gradients[0][1].received.reset();
  pipeline.steps[0].gradients[0][1].sent->end += Seconds(7);
  const Derived derived = measured_order(pipeline, PointToPoint::Overlapped);
  const MeasuredTimes times = measured_times(pipeline, derived);
  const Interval guessed = at(times, transfer(derived, Comm::RecvGrad, 1));
  EXPECT_EQ(guessed.start, pipeline.steps[0].passes[1][1].backward.end);
  EXPECT_EQ(guessed.length(), Seconds(0.5));
  ASSERT_EQ(times.notes.size(), 1u);
  EXPECT_EQ(times.notes[0].kind, NoteKind::Guessed);
  EXPECT_EQ(times.notes[0].count, 1u);
}

TEST(Replay, WithoutTransfersTheLeastLagIsOne) {
  MeasuredPipeline pipeline = small_pipeline();
  for (auto* transfers : {&pipeline.steps[0].activations, &pipeline.steps[0].gradients})
    for (auto& stage : *transfers) std::fill(stage.begin(), stage.end(), MeasuredTransfer{});
  const MeasuredTimes times = measured_times(pipeline, measured_order(pipeline, PointToPoint::Overlapped));
  EXPECT_EQ(times.transfer, Seconds(0.5));
  ASSERT_EQ(times.notes.size(), 1u);
  EXPECT_EQ(times.notes[0].count, 4u);
}

TEST(Replay, ConstantTransfersLeaveComputingAsItIs) {
  const MeasuredPipeline pipeline = small_pipeline();
  const Derived derived = measured_order(pipeline, PointToPoint::Overlapped);
  const Durations measured = lengths(measured_times(pipeline, derived).timeline);
  const Durations constant = with_constant_transfers(derived.order, measured, Seconds(3));
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const bool moves = derived.order.event(EventId(id)).kind == EventKind::Collective;
    EXPECT_EQ(constant.at(EventId(id), 0), moves ? Seconds(3) : measured.at(EventId(id), 0));
  }
}

// Stage 0's forwards take 1 and 3 s in one lane, 5 and 7 s in the other. Their mean is 4 s, or 2 and 6 s by
// lane.
TEST(Replay, MeansAreOfStageDirectionAndGroup) {
  const MeasuredPipeline pipeline = small_pipeline();
  const Derived derived = measured_order(pipeline, PointToPoint::Overlapped);
  Durations durations(derived.order.event_count(), 2);
  std::vector<EventId> forwards;
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    if (event.computes()) durations.fill(EventId(id), Seconds(100));
    if (event.kind == EventKind::Forward && event.stage == StageId(0)) forwards.push_back(EventId(id));
  }
  ASSERT_EQ(forwards.size(), 2u);
  durations.at(forwards[0], 0) = Seconds(1);
  durations.at(forwards[1], 0) = Seconds(3);
  durations.at(forwards[0], 1) = Seconds(5);
  durations.at(forwards[1], 1) = Seconds(7);
  const std::uint32_t together[] = {0, 0}, apart[] = {0, 1};
  const Durations all = with_means(derived.order, durations, together);
  const Durations each = with_means(derived.order, durations, apart);
  for (EventId id : forwards) {
    EXPECT_EQ(all.at(id, 0), Seconds(4));
    EXPECT_EQ(all.at(id, 1), Seconds(4));
    EXPECT_EQ(each.at(id, 0), Seconds(2));
    EXPECT_EQ(each.at(id, 1), Seconds(6));
  }
}

TEST(Replay, AnOrderThatWaitsForItselfIsRefused) {
  MeasuredPipeline pipeline = small_pipeline();
  // Rank 0 needs the first gradient before its second forward, and rank 1 needs that forward first.
  RankOrder& order = pipeline.placement.orders[0];
  order = {{Action::Forward, 0, MicrobatchId(0)},
           {Action::Backward, 0, MicrobatchId(0)},
           {Action::Forward, 0, MicrobatchId(1)},
           {Action::Backward, 0, MicrobatchId(1)}};
  pipeline.placement.orders[1] = {{Action::Forward, 0, MicrobatchId(0)},
                                  {Action::Forward, 0, MicrobatchId(1)},
                                  {Action::Backward, 0, MicrobatchId(0)},
                                  {Action::Backward, 0, MicrobatchId(1)}};
  try {
    measured_order(pipeline, PointToPoint::Overlapped);
    FAIL() << "was taken";
  } catch (const InputError& bad) {
    EXPECT_TRUE(bad.violations().front().pointer.starts_with("/order of the trace")) << bad.what();
  }
}

}  // namespace
}  // namespace spillway::testing
