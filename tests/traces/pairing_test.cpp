// Sends find their receives by microbatch, or by order if there is none; each direction is paired for itself.
#include <gtest/gtest.h>

#include "support/property.h"
#include "traces/pipeline/pipeline.h"
#include "traces/simulated_trace.h"

namespace spillway::testing {
namespace {

bool same(const MeasuredTransfer& a, const MeasuredTransfer& b) {
  return a.sent == b.sent && a.received == b.received;
}

bool same(const std::vector<std::vector<MeasuredTransfer>>& a,
          const std::vector<std::vector<MeasuredTransfer>>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const auto& t, const auto& u) { return same(t, u); });
  });
}

RC_GTEST_PROP(Pairing, OrderTellsWhatNumbersTell, ()) {
  TraceOptions options;
  options.schedule = *rc::gen::elementOf(
      std::vector<std::string>{"1f1b", "gpipe", "1f1b,1f1b", "zb-h1", "zb-v", "wave(1)", "v-half"});
  options.ranks = *rc::gen::inRange(2U, 5U);
  options.microbatches = options.ranks * *rc::gen::inRange(1U, 4U);
  options.point_to_point = *rc::gen::element(PointToPoint::Blocking, PointToPoint::Overlapped);
  options.seed = *rc::gen::inRange(1U, 1000U);
  options.steps = 2;
  const MeasuredPipeline numbered = measured_pipeline(simulated(options));
  options.numbered_transfers = false;
  const MeasuredPipeline ordered = measured_pipeline(simulated(options));
  for (std::size_t i = 0; i < 2; ++i) {
    RC_ASSERT(same(numbered.steps[i].activations, ordered.steps[i].activations));
    RC_ASSERT(same(numbered.steps[i].gradients, ordered.steps[i].gradients));
  }
}

TEST(Pairing, ATransferTakesAsLongAsItsShorterSide) {
  const MeasuredTransfer waited{Interval{Seconds(1), Seconds(3)}, Interval{Seconds(2.5), Seconds(3)}};
  EXPECT_EQ(waited.time(), Seconds(0.5));
  EXPECT_FALSE((MeasuredTransfer{Interval{Seconds(1), Seconds(3)}, std::nullopt}).time());
}

RC_GTEST_PROP(Pairing, TheTimeIsThatOfTheTransferHoweverLongItsReceiverWaited, ()) {
  TraceOptions options{.spread = 0.5};
  options.seed = *rc::gen::inRange(1U, 1000U);
  const MeasuredPipeline pipeline = measured_pipeline(simulated(options));
  for (const auto& seam : pipeline.steps[0].activations)
    for (const MeasuredTransfer& transfer : seam) {
      RC_ASSERT(*transfer.time() > milliseconds(0.899));
      RC_ASSERT(*transfer.time() < milliseconds(1.101));
    }
}

// Rank 0 posts the send of microbatch 1 and the receive of the gradient of 0 together: both have the same
// start and duration, but belong to two transfers.
TEST(Pairing, WhatIsPostedTogetherIsPairedByDirection) {
  const auto event = [](TraceKind kind, double start, double duration, std::uint32_t m, std::uint16_t rank) {
    return TraceEvent{Seconds(start), Seconds(duration), 0, m, 0, 0, rank, rank, 0, kind};
  };
  using enum TraceKind;
  Trace trace;
  trace.format = "by hand";
  trace.steps = {"7"};
  trace.names = {""};
  trace.events = {event(Forward, 0, 1, 0, 0),
                  event(SendForward, 1, 0.1, kUnknown, 0),
                  event(Forward, 1.1, 1, 1, 0),
                  event(SendForward, 2.1, 2.1, kUnknown, 0),
                  event(ReceiveBackward, 2.1, 2.1, kUnknown, 0),
                  event(Backward, 4.2, 2, 0, 0),
                  event(ReceiveBackward, 6.2, 1.1, kUnknown, 0),
                  event(Backward, 7.3, 2, 1, 0),
                  event(ReceiveForward, 0, 1.1, kUnknown, 1),
                  event(Forward, 1.1, 1, 0, 1),
                  event(Backward, 2.1, 2, 0, 1),
                  event(SendBackward, 4.1, 0.1, kUnknown, 1),
                  event(ReceiveForward, 4.1, 0.1, kUnknown, 1),
                  event(Forward, 4.2, 1, 1, 1),
                  event(Backward, 5.2, 2, 1, 1),
                  event(SendBackward, 7.2, 0.1, kUnknown, 1)};
  normalise(trace);
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  const MeasuredTransfer& activation = pipeline.steps[0].activations[0][1];
  const MeasuredTransfer& gradient = pipeline.steps[0].gradients[0][0];
  EXPECT_EQ(activation.sent, gradient.received);
  EXPECT_EQ(activation.received, gradient.sent);
  EXPECT_NEAR(activation.time()->value(), 0.1, 1e-12);
  EXPECT_NEAR(gradient.time()->value(), 0.1, 1e-12);
  ASSERT_EQ(pipeline.notes.size(), 1U);
  EXPECT_EQ(to_string(pipeline.notes[0]).substr(0, 20), "guessed: 8 sides of ");
}

TEST(Pairing, SidesThatFitNoMicrobatchAreCounted) {
  Trace trace = simulated({.numbered_transfers = false});
  TraceEvent extra = {};
  for (const TraceEvent& event : trace.events)
    if (event.kind == TraceKind::SendForward && event.stage == 0) extra = event;
  extra.start += milliseconds(0.5);
  trace.events.push_back(extra);
  normalise(trace);
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  EXPECT_FALSE(pipeline.steps[0].activations[0][0].sent);
  EXPECT_TRUE(pipeline.steps[0].activations[0][0].received);
  const auto dropped = std::find_if(pipeline.notes.begin(), pipeline.notes.end(),
                                    [](const Note& note) { return note.kind == NoteKind::Dropped; });
  ASSERT_NE(dropped, pipeline.notes.end());
  EXPECT_EQ(dropped->count, 9U);
}

}  // namespace
}  // namespace spillway::testing
