// A trace as pipeline steps: the inferred pipeline equals the one that made the trace. Broken parts are
// dropped, counted and reported, or refused.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "support/property.h"
#include "traces/pipeline/pipeline.h"
#include "traces/simulated_trace.h"

namespace spillway::testing {
namespace {

bool noted(const std::vector<Note>& notes, NoteKind kind, std::size_t count, const std::string& part) {
  return std::any_of(notes.begin(), notes.end(), [&](const Note& note) {
    return note.kind == kind && note.count == count && note.text.find(part) != std::string::npos;
  });
}

std::string refusal(const Trace& trace) {
  try {
    measured_pipeline(trace);
  } catch (const InputError& error) {
    std::string text;
    for (const Violation& violation : error.violations())
      text += "expected " + violation.expected + ", found " + violation.found + "\n";
    return text;
  }
  return "";
}

template <class Which>
Trace without(Trace trace, const Which& which) {
  std::erase_if(trace.events, which);
  return trace;
}

TEST(MeasuredPipeline, FindsWhatTheTraceWasMadeFrom) {
  const MeasuredPipeline pipeline = measured_pipeline(
      simulated({.schedule = "1f1b,1f1b", .ranks = 3, .microbatches = 6, .replicas = 2, .steps = 4}));
  EXPECT_EQ(pipeline.ranks, 3U);
  EXPECT_EQ(pipeline.stages, 6U);
  EXPECT_EQ(pipeline.microbatches, 6U);
  EXPECT_EQ(pipeline.replicas, 2U);
  const std::vector<RankId> placement = {RankId(0), RankId(1), RankId(2), RankId(0), RankId(1), RankId(2)};
  EXPECT_EQ(pipeline.placement.stage_rank, placement);
  EXPECT_EQ(pipeline.placement.orders, rank_orders(SkeletonKind::OneFOneB, {3, 6, 2, 3}));
  ASSERT_EQ(pipeline.steps.size(), 8U);
  EXPECT_EQ(pipeline.steps[3].step, 1U);
  EXPECT_EQ(pipeline.steps[3].replica, ReplicaId(1));
  EXPECT_TRUE(pipeline.notes.empty());
  EXPECT_EQ(pipeline.clock, std::vector<Seconds>(6));
}

TEST(MeasuredPipeline, TransfersOfOneRankHaveNoSides) {
  const MeasuredPipeline pipeline = measured_pipeline(simulated({.schedule = "zb-v", .ranks = 2}));
  ASSERT_EQ(pipeline.steps[0].activations.size(), 3U);
  EXPECT_FALSE(pipeline.steps[0].activations[1][0].sent);  // from stage 1 to 2, both on rank 1
  EXPECT_TRUE(pipeline.steps[0].activations[2][0].time());
  EXPECT_TRUE(pipeline.steps[0].passes[0][0].weight);
  EXPECT_TRUE(pipeline.notes.empty());
}

TEST(MeasuredPipeline, StepsWithoutAnyComputingTimeAreDropped) {
  Trace trace = simulated({.steps = 2});
  const auto stop = [&](std::uint32_t step) {
    for (TraceEvent& event : trace.events)
      if (event.step == step && is_compute(event.kind)) event.duration = Seconds();
    normalise(trace);
  };
  stop(1);
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  EXPECT_EQ(pipeline.steps.size(), 1U);
  EXPECT_TRUE(noted(pipeline.notes, NoteKind::Dropped, 1, "no pass takes any time"));
  stop(0);
  EXPECT_NE(refusal(trace).find("no pass takes any time"), std::string::npos);
}

RC_GTEST_PROP(MeasuredPipeline, TheOrderOfRowsDoesNotMatter, ()) {
  TraceOptions options{.ranks = 3, .microbatches = 4, .replicas = 2, .steps = 2};
  options.seed = *rc::gen::inRange(1U, 1000U);
  const Trace trace = simulated(options);
  Trace shuffled = trace;
  std::mt19937 random(options.seed);
  std::shuffle(shuffled.events.begin(), shuffled.events.end(), random);
  shuffled.events.push_back(shuffled.events.front());
  normalise(shuffled);
  const MeasuredPipeline a = measured_pipeline(trace), b = measured_pipeline(shuffled);
  RC_ASSERT(a.placement == b.placement);
  RC_ASSERT(a.steps.size() == b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    RC_ASSERT(a.steps[i].order == b.steps[i].order);
    RC_ASSERT(a.steps[i].span() == b.steps[i].span());
  }
}

TEST(MeasuredPipeline, AStepThatLacksAPassIsDropped) {
  const Trace trace = simulated({.steps = 3});
  const Trace cut = without(trace, [](const TraceEvent& e) {
    return e.step == 1 && e.kind == TraceKind::Backward && e.stage == 2 && e.microbatch == 5;
  });
  const MeasuredPipeline pipeline = measured_pipeline(cut);
  ASSERT_EQ(pipeline.steps.size(), 2U);
  EXPECT_EQ(pipeline.steps[1].step, 2U);
  EXPECT_TRUE(noted(pipeline.notes, NoteKind::Dropped, 1,
                    "without one complete set of passes (step 101, replica 0: no backward of microbatch 5 in stage 2)"));
}

TEST(MeasuredPipeline, AStepThatHasAPassTwiceIsDropped) {
  Trace trace = simulated({.steps = 2});
  TraceEvent again = trace.events.front();
  ASSERT_EQ(again.kind, TraceKind::Forward);
  again.start += milliseconds(5);
  trace.events.push_back(again);
  normalise(trace);
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  EXPECT_EQ(pipeline.steps.size(), 1U);
  EXPECT_TRUE(
      noted(pipeline.notes, NoteKind::Dropped, 1, "more than one forward of microbatch 0 in stage 0"));
}

TEST(MeasuredPipeline, AMicrobatchThatSkipsNumbersIsNoStep) {
  Trace trace = simulated({.steps = 2});
  for (TraceEvent& event : trace.events)
    if (event.step == 0 && event.microbatch == 7) event.microbatch = 4'000'000'000U;
  EXPECT_TRUE(noted(measured_pipeline(trace).notes, NoteKind::Dropped, 1, "no forward of microbatch 7"));
}

TEST(MeasuredPipeline, ARankThatEndsEarlyCostsItsReplicaAlone) {
  const Trace trace = without(simulated({.replicas = 2, .steps = 2}),
                              [](const TraceEvent& e) { return e.rank == 3 && e.replica == 1; });
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  EXPECT_EQ(pipeline.steps.size(), 2U);
  EXPECT_TRUE(noted(pipeline.notes, NoteKind::Dropped, 2, "without one complete set of passes"));
  EXPECT_TRUE(noted(pipeline.notes, NoteKind::Missing, 1, "replicas without a whole step"));
}

TEST(MeasuredPipeline, StepsOfAnotherSizeAreDropped) {
  Trace trace = simulated({.microbatches = 8, .steps = 3});
  std::erase_if(trace.events, [](const TraceEvent& e) { return e.step == 0 && e.microbatch >= 6; });
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  EXPECT_EQ(pipeline.microbatches, 8U);
  EXPECT_EQ(pipeline.steps.size(), 2U);
  EXPECT_TRUE(noted(pipeline.notes, NoteKind::Dropped, 1, "another number of microbatches than 8"));
}

TEST(MeasuredPipeline, StepsInAnotherOrderAreKeptAndCounted) {
  Trace trace = simulated({.steps = 3});
  const Trace other = simulated({.schedule = "gpipe", .steps = 1});
  std::erase_if(trace.events, [](const TraceEvent& e) { return e.step == 0; });
  trace.events.insert(trace.events.begin(), other.events.begin(), other.events.end());
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  EXPECT_EQ(pipeline.steps.size(), 3U);
  EXPECT_EQ(pipeline.placement.orders, rank_orders(SkeletonKind::OneFOneB, {4, 8, 1, 4}));
  EXPECT_TRUE(noted(pipeline.notes, NoteKind::Differs, 1, "another order than most"));
}

TEST(MeasuredPipeline, AbsentTransfersAreCounted) {
  const auto receives = [](const TraceEvent& e) {
    return e.kind == TraceKind::ReceiveForward && e.rank == 2;
  };
  const MeasuredPipeline half = measured_pipeline(without(simulated({}), receives));
  EXPECT_TRUE(noted(half.notes, NoteKind::Missing, 8, "only one side"));
  EXPECT_FALSE(half.steps[0].activations[1][0].time());
  const MeasuredPipeline none = measured_pipeline(simulated({.with_transfers = false}));
  EXPECT_TRUE(noted(none.notes, NoteKind::Missing, 48, "neither side"));
}

TEST(MeasuredPipeline, CollectivesAreJoinedWhereTheyOverlap) {
  Trace trace = simulated({.ranks = 2});
  for (const double start : {9.0, 9.5, 12.0})
    trace.events.push_back({Seconds(start), Seconds(1), 0, kUnknown, 0, 0, 1, 1, 0, TraceKind::Collective});
  normalise(trace);
  const auto collectives = measured_pipeline(trace).steps[0].collectives;
  EXPECT_TRUE(collectives[0].empty());
  EXPECT_EQ(collectives[1],
            (std::vector<Interval>{{Seconds(9.0), Seconds(10.5)}, {Seconds(12.0), Seconds(13.0)}}));
}

TEST(MeasuredPipeline, RefusesAnInferenceTrace) {
  const Trace trace =
      without(simulated({.steps = 32}), [](const TraceEvent& e) { return e.kind == TraceKind::Backward; });
  EXPECT_EQ(
      refusal(trace),
      "expected a backward of every microbatch on every rank, found none on any rank in any of 32 steps\n");
}

TEST(MeasuredPipeline, RefusesAMissingRank) {
  const Trace trace = without(simulated({.steps = 32}), [](const TraceEvent& e) { return e.rank == 2; });
  EXPECT_EQ(
      refusal(trace),
      "expected a forward of every microbatch on every rank, found none on rank 2 of 4 in any of 32 steps\n"
      "expected a backward of every microbatch on every rank, found none on rank 2 of 4 in any of 32 "
      "steps\n");
}

TEST(MeasuredPipeline, RefusesRanksWhoseNeighboursAreMissing) {
  const Trace last = without(simulated({}), [](const TraceEvent& e) { return e.rank == 3; });
  EXPECT_NE(refusal(last).find("none on stage 3 of 4"), std::string::npos);
  const Trace alone = without(simulated({}), [](const TraceEvent& e) { return e.rank != 1; });
  EXPECT_NE(refusal(alone).find("none on rank 0 of 2"), std::string::npos);
  const Trace first = without(simulated({}), [](const TraceEvent& e) { return e.rank != 0; });
  EXPECT_NE(refusal(first).find("none on stage 1 of 2"), std::string::npos);
}

TEST(MeasuredPipeline, OneRankWithoutNeighboursIsAPipeline) {
  const MeasuredPipeline pipeline = measured_pipeline(simulated({.ranks = 1}));
  EXPECT_EQ(pipeline.ranks, 1U);
  EXPECT_TRUE(pipeline.steps[0].activations.empty());
}

TEST(MeasuredPipeline, RefusesWhatIsNoPipeline) {
  Trace trace = simulated({});
  for (TraceEvent& event : trace.events) event.microbatch = kUnknown;
  EXPECT_NE(refusal(trace).find("none of 64 passes has one"), std::string::npos);
  for (TraceEvent& event : trace.events) event.kind = TraceKind::Kernel;
  EXPECT_NE(refusal(trace).find("none among 160 events"), std::string::npos);
  EXPECT_NE(refusal(simulated({.schedule = "dualpipe"})).find("stage 0 on ranks 0 and 3"), std::string::npos);
  const Trace broken = without(simulated({.steps = 2}), [](const TraceEvent& e) {
    return e.stage == 1 && e.microbatch == 3 && e.kind == TraceKind::Forward;
  });
  EXPECT_EQ(refusal(broken),
            "expected a step with every pass of every microbatch, once, found none in 2 steps of a replica "
            "(step 100, replica 0: no forward of microbatch 3 in stage 1)\n");
}

}  // namespace
}  // namespace spillway::testing
